import type { Collection } from '../../adapters/records/port.ts';
import { isDayFull } from '../../mixins/audio-day/audio-day.ts';
import type { House } from '../../mixins/house.ts';
import * as transitions from '../../mixins/runs/transitions.ts';
import type { Asset } from '../../models/asset.ts';
import { audioDays } from '../../models/audio-day.ts';
import { calendarDay } from '../../models/calendar-day.ts';
import { systemScope } from '../../models/scope.ts';

/** Recordings of an organization that are held back, or let go, at a time. */
const atOnce = 200;
/** Organizations that one round looks at. */
const organizationsAtOnce = 500;
/** Days that stay: time zones differ, and a recording may be read until the next one. */
const daysKept = 3;

/**
 * Holds recordings of organizations back that have reached their `dailyAudioHours`, so that they stand in nobody's way,
 * and lets them go when a new day begins or the setting allows more. Which of them may begin at all is decided by the one
 * write of `admitRecording`; this only spares looking at the others.
 */
export class AudioDays {
  private readonly house: House;
  private readonly assets: Collection<Asset>;
  /** Where the last round stopped looking, if it did not see all organizations. */
  private place = '';
  private cleared = 0;

  constructor(house: House, assets: Collection<Asset>) {
    this.house = house;
    this.assets = assets;
  }

  /**
   * Holds back the recordings among jobs of one organization that wait for extraction, and those that wait behind them,
   * where its day is full.
   * @returns whether it is
   */
  async holdBack(jobs: readonly Asset[]): Promise<boolean> {
    const first = jobs.find(isRecording);
    if (first === undefined || !(await isDayFull(this.house, first))) return false;
    const { organizationId } = first;
    const behind = await this.assets.find({ filter: { 'run.phase': 'waiting', 'run.stage': 'extracting', organizationId, kind: { $ne: 'document' } }, sort: [['run.queuedAt', 1]], limit: atOnce });
    const all = new Map([...jobs.filter(isRecording), ...behind].map((asset) => [asset._id, asset]));
    await this.apply([...all.values()], transitions.hold);
    return true;
  }

  /** Lets go what may begin again, the oldest of each organization first. Answers how many. */
  async release(): Promise<number> {
    await this.clear();
    let released = 0;
    let last = this.place;
    this.place = '';
    for (let organizations = 0; ; organizations += 1) {
      const [held] = await this.assets.find({ filter: { 'run.phase': 'held', 'run.stage': 'extracting', organizationId: { $gt: last } }, sort: [['organizationId', 1]], limit: 1 });
      if (held === undefined) return released;
      last = held.organizationId;
      if (organizations === organizationsAtOnce) {
        this.place = last;
        return released;
      }
      if (await isDayFull(this.house, held)) continue;
      const oldest = await this.assets.find({ filter: { 'run.phase': 'held', 'run.stage': 'extracting', organizationId: last }, sort: [['run.queuedAt', 1]], limit: atOnce });
      released += await this.apply(oldest, transitions.release);
    }
  }

  private async apply(assets: readonly Asset[], transition: (asset: Asset, now: number) => transitions.Transition): Promise<number> {
    const now = this.house.records.time();
    const written = await Promise.all(assets.map((asset) => {
      const { filter, change } = transition(asset, now);
      return this.assets.update(asset._id, filter, change);
    }));
    return written.filter((asset) => asset !== null).length;
  }

  /** Removes what was counted on days long gone, once a day. */
  private async clear(): Promise<void> {
    const oldest = calendarDay(this.house.ambient.now(), 'UTC') - daysKept;
    if (this.cleared >= oldest) return;
    const removed = await this.house.records.collection(audioDays, systemScope).removeMany({ day: { $lt: oldest } }, atOnce);
    if (removed < atOnce) this.cleared = oldest;
  }
}

/** Whether a job begins to index a recording. */
export function isRecording({ kind }: Asset): boolean {
  return kind !== 'document';
}
