import type { Collection } from '../../adapters/records/port.ts';
import type { Asset } from '../../models/asset.ts';
import { audioDays, jobKey, type AudioDay } from '../../models/audio-day.ts';
import { calendarDay } from '../../models/calendar-day.ts';
import { accounts } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import type { House } from '../house.ts';
import { settingsOf } from '../settings/settings.ts';

/** What of the house a day's recordings are counted with. */
export type AudioDayHouse = Pick<House, 'records' | 'ambient'>;

/** Whose recordings: an asset, or what names its organization and account. */
type Owned = Pick<Asset, 'organizationId' | 'accountId'>;

const hour = 3_600_000;
const attempts = 20;

/** A recording that may be indexed today: what it counts as, and on which day. */
export interface Admission {
  day: number;
  milliseconds: number;
}

/** Most milliseconds that an organization may begin to index a day; null without a cap. */
async function capOf(house: AudioDayHouse, organizationId: string): Promise<number | null> {
  const { dailyAudioHours } = await settingsOf(house, organizationId);
  return dailyAudioHours === null ? null : dailyAudioHours * hour;
}

/** The current day of an account's time zone. */
async function today({ records, ambient }: AudioDayHouse, accountId: string): Promise<number> {
  const account = await records.collection(accounts, systemScope).get(accountId);
  return calendarDay(ambient.now(), account?.timeZone ?? 'UTC');
}

function daysOf({ records }: AudioDayHouse, organizationId: string): Collection<AudioDay> {
  return records.collection(audioDays, scopeOf(organizationId));
}

/** Whether an organization has a cap, and it is reached today. @throws StoreUnavailable */
export async function isDayFull(house: AudioDayHouse, { organizationId, accountId }: Owned): Promise<boolean> {
  const cap = await capOf(house, organizationId);
  if (cap === null) return false;
  const counted = await daysOf(house, organizationId).get(`${organizationId}:${await today(house, accountId)}`);
  return (counted?.milliseconds ?? 0) >= cap;
}

/**
 * Counts a recording into the organization's day, unless its cap is reached: the last one may pass it, a further one does
 * not begin. One conditional write, so that of many at once no more begin. A job counts once a day, however often it asks.
 * @param milliseconds its length as its header tells it; 0 where it does not
 * @returns null where the cap is reached
 * @throws StoreUnavailable
 */
export async function admitRecording(house: AudioDayHouse, asset: Asset, milliseconds: number): Promise<Admission | null> {
  const { organizationId, accountId } = asset;
  const cap = await capOf(house, organizationId);
  const day = await today(house, accountId);
  const days = daysOf(house, organizationId);
  const [id, key] = [`${organizationId}:${day}`, jobKey(asset.run.jobId)];
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const filter = { [`jobs.${key}`]: null, ...(cap === null ? {} : { milliseconds: { $lt: cap } }) };
    if ((await days.update(id, filter, { set: { [`jobs.${key}`]: milliseconds }, increment: { milliseconds } })) !== null) return { day, milliseconds };
    const counted = await days.get(id);
    const before = counted?.jobs[key];
    if (before !== undefined) return { day, milliseconds: before };
    if (cap !== null && (counted?.milliseconds ?? 0) >= cap) return null;
    if (counted === null) await days.insertNew([{ _id: id, organizationId, day, milliseconds: 0, jobs: {} }]);
  }
  throw new Error('the day of an organization is written by too many at once');
}

/** Puts a recording's true length in the place of what its header told. Doing it again changes nothing. @throws StoreUnavailable */
export async function correctLength(house: AudioDayHouse, asset: Asset, admission: Admission, milliseconds: number): Promise<void> {
  if (milliseconds === admission.milliseconds) return;
  const path = `jobs.${jobKey(asset.run.jobId)}`;
  await daysOf(house, asset.organizationId).update(`${asset.organizationId}:${admission.day}`, { [path]: admission.milliseconds }, {
    set: { [path]: milliseconds }, increment: { milliseconds: milliseconds - admission.milliseconds },
  });
}
