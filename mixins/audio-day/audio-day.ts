import type { Collection } from '../../adapters/records/port.ts';
import type { Asset } from '../../models/asset.ts';
import { audioDays, jobKey, maxJobsOfDay, type AudioDay } from '../../models/audio-day.ts';
import { calendarDay } from '../../models/calendar-day.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import type { AppContext } from '../app-context.ts';
import { settingsOf } from '../settings/settings.ts';

/** The part of the app context that counting recordings uses. */
export type AudioDayContext = Pick<AppContext, 'records' | 'runtime'>;

/** The organization and account of recordings, such as an asset. */
type Owned = Pick<Asset, 'organizationId' | 'accountId'>;

const hour = 3_600_000;
const attempts = 20;

/** An admitted recording, with its counted length and its day. */
export interface Admission {
  day: number;
  milliseconds: number;
}

/** Maximum length, in milliseconds, of recordings whose indexing may start per day; null without a cap. */
async function capOf(app: AudioDayContext, organizationId: string): Promise<number | null> {
  const { dailyAudioHours } = await settingsOf(app, organizationId);
  return dailyAudioHours === null ? null : dailyAudioHours * hour;
}

/** The current day of an account's time zone. */
async function today({ records, runtime }: AudioDayContext, accountId: string): Promise<number> {
  const account = await records.collection(accounts, systemScope).get(accountId);
  return calendarDay(runtime.now(), account?.timeZone ?? 'UTC');
}

function daysOf({ records }: AudioDayContext, organizationId: string): Collection<AudioDay> {
  return records.collection(audioDays, scopeOf(organizationId));
}

/** Whether an organization has reached its cap today. @throws StoreUnavailable */
export async function isDayFull(app: AudioDayContext, { organizationId, accountId }: Owned): Promise<boolean> {
  const cap = await capOf(app, organizationId);
  if (cap === null) return false;
  const counted = await daysOf(app, organizationId).get(`${organizationId}:${await today(app, accountId)}`);
  return (counted?.milliseconds ?? 0) >= cap;
}

/**
 * Adds a recording to the organization's day unless the cap is reached. The last recording may exceed the cap. It is
 * one conditional write, so the cap holds under concurrency. A job counts once a day, also with repeated calls.
 * @param milliseconds its length by its header; 0 if it has none
 * @returns null if the cap is reached
 * @throws StoreUnavailable
 */
export async function admitRecording(
  app: AudioDayContext,
  asset: Asset,
  milliseconds: number,
): Promise<Admission | null> {
  const { organizationId, accountId } = asset;
  const cap = await capOf(app, organizationId);
  const day = await today(app, accountId);
  const days = daysOf(app, organizationId);
  const [id, key] = [`${organizationId}:${day}`, jobKey(asset.run.jobId)];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const belowCap = cap === null ? {} : { milliseconds: { $lt: cap } };
    const added = await days.update(
      id,
      { [`jobs.${key}`]: null, jobCount: { $lt: maxJobsOfDay }, ...belowCap },
      { set: { [`jobs.${key}`]: milliseconds }, increment: { milliseconds, jobCount: 1 } },
    );
    if (added !== null) return { day, milliseconds };
    const counted = await days.get(id);
    const before = counted?.jobs[key];
    if (before !== undefined) return { day, milliseconds: before };
    if (cap !== null && (counted?.milliseconds ?? 0) >= cap) return null;
    if (counted === null)
      await days.insertNew([{ _id: id, organizationId, day, milliseconds: 0, jobs: {}, jobCount: 0 }]);
    else if (counted.jobCount === undefined)
      await days.update(id, { jobCount: null }, { set: { jobCount: Object.keys(counted.jobs).length } });
    else if (
      counted.jobCount >= maxJobsOfDay &&
      (await days.update(id, belowCap, { increment: { milliseconds } })) !== null
    )
      return { day, milliseconds };
  }
  throw new Error('the audio day of an organization has too many concurrent writers');
}

/**
 * Replaces the length from the header by the actual length. Idempotent. @throws
 * StoreUnavailable
 */
export async function correctLength(
  app: AudioDayContext,
  asset: Asset,
  admission: Admission,
  milliseconds: number,
): Promise<void> {
  if (milliseconds === admission.milliseconds) return;
  const path = `jobs.${jobKey(asset.run.jobId)}`;
  await daysOf(app, asset.organizationId).update(
    `${asset.organizationId}:${admission.day}`,
    { [path]: admission.milliseconds },
    {
      set: { [path]: milliseconds },
      increment: { milliseconds: milliseconds - admission.milliseconds },
    },
  );
}
