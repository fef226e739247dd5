import { defineCollection } from './collection.ts';

/** What of an organization's recordings began to be indexed on one day of its account's time zone. */
export interface AudioDay {
  /** `<organization id>:<day>` */
  _id: string;
  organizationId: string;
  /** As `calendarDay` counts them. */
  day: number;
  /** Length of all of them together. */
  milliseconds: number;
  /** Length of each, by `jobKey`: a step that is done again counts once. */
  jobs: { [job: string]: number };
}

/** Where a job stands in a day's `jobs`. */
export function jobKey(jobId: string): string {
  return `j${jobId.replaceAll(/[^A-Za-z0-9]/g, '')}`;
}

/** The days of all organizations; old ones are removed. */
export const audioDays = defineCollection<AudioDay>({ name: 'audio_days', owner: 'organization', indexes: [{ name: 'day', fields: ['day'] }] });
