import { defineCollection } from './collection.ts';

/** The recordings of an organization whose indexing started on one day, in the time zone of its account. */
export interface AudioDay {
  /** `<organization id>:<day>` */
  _id: string;
  organizationId: string;
  /** As `calendarDay` counts them. */
  day: number;
  /** Total length. */
  milliseconds: number;
  /** Length of each, by `jobKey`: a repeated step counts once. At most `maxJobsOfDay` entries. */
  jobs: { [job: string]: number };
  /** Entries of `jobs`; absent in documents of earlier versions. */
  jobCount?: number;
}

/** Recordings that a day lists. A repeated step of a recording beyond them counts twice. */
export const maxJobsOfDay = 20_000;

/** The key of a job in a day's `jobs`. */
export function jobKey(jobId: string): string {
  return `j${jobId.replaceAll(/[^A-Za-z0-9]/g, '')}`;
}

/** The days of all organizations; old ones are removed. */
export const audioDays = defineCollection<AudioDay>({
  name: 'audio_days',
  owner: 'organization',
  indexes: [{ name: 'day', fields: ['day'] }],
});
