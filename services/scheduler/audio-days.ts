import type { Collection } from '../../adapters/records/port.ts';
import { isDayFull } from '../../mixins/audio-day/audio-day.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import * as transitions from '../../mixins/work/transitions.ts';
import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import { audioDays } from '../../models/audio-day.ts';
import { calendarDay } from '../../models/calendar-day.ts';
import { systemScope } from '../../models/scope.ts';

/** Recordings of an organization that are held back or released at a time. */
const pageSize = 200;
/** Organizations that one round considers. */
const maxOrganizations = 500;
/** Days that are kept: time zones differ, and a recording may be read until the next day. */
const daysKept = 3;

/**
 * Holds back the recordings of organizations that have reached their `dailyAudioHours`, so that they do not delay other
 * jobs, and releases them when a new day begins or the setting allows more. Which of them may begin at all is decided
 * by the one write of `admitRecording`; this only avoids dispatching the others.
 */
export class AudioDays {
  readonly #app: AppContext;
  readonly #assets: Collection<Asset>;
  /** The last organization that the previous round considered; empty where it considered all. */
  #cursor = '';
  #cleared = 0;

  constructor(app: AppContext) {
    this.#app = app;
    this.#assets = app.records.collection(assetsDefinition, systemScope);
  }

  /**
   * Of jobs of one organization that wait for extraction: those that may begin. Where its day is full, these are the
   * documents; the recordings among the jobs, and those that wait behind them, are held back.
   */
  async admit(jobs: readonly Asset[]): Promise<readonly Asset[]> {
    const first = jobs.find(isRecording);
    if (first === undefined || !(await isDayFull(this.#app, first))) return jobs;
    const { organizationId } = first;
    const behind = await this.#assets.find({
      filter: { 'run.phase': 'waiting', 'run.stage': 'extracting', organizationId, kind: { $ne: 'document' } },
      sort: [['run.queuedAt', 1]],
      limit: pageSize,
    });
    const all = new Map([...jobs.filter(isRecording), ...behind].map((asset) => [asset._id, asset]));
    await this.#apply([...all.values()], transitions.hold);
    return jobs.filter((job) => !isRecording(job));
  }

  /** Releases what may begin again, the oldest of each organization first. Returns how many. */
  async release(): Promise<number> {
    await this.#clear();
    const held = { 'run.phase': 'held', 'run.stage': 'extracting' };
    const page = { after: this.#cursor, limit: maxOrganizations };
    const organizations = await this.#assets.distinct(held, 'organizationId', page);
    this.#cursor = organizations.length < maxOrganizations ? '' : (organizations.at(-1) ?? '');
    let released = 0;
    for (const organizationId of organizations) {
      const [first] = await this.#assets.find({ filter: { ...held, organizationId }, limit: 1 });
      if (first === undefined || (await isDayFull(this.#app, first))) continue;
      const oldest = await this.#assets.find({
        filter: { ...held, organizationId },
        sort: [['run.queuedAt', 1]],
        limit: pageSize,
      });
      released += await this.#apply(oldest, transitions.release);
    }
    return released;
  }

  async #apply(
    assets: readonly Asset[],
    transition: (asset: Asset, now: number) => transitions.Transition,
  ): Promise<number> {
    const now = this.#app.records.time();
    const written = await Promise.all(
      assets.map((asset) => {
        const { filter, change } = transition(asset, now);
        return this.#assets.update(asset._id, filter, change);
      }),
    );
    return written.filter((asset) => asset !== null).length;
  }

  /** Removes the counts of past days, once a day. */
  async #clear(): Promise<void> {
    const oldest = calendarDay(this.#app.runtime.now(), 'UTC') - daysKept;
    if (this.#cleared >= oldest) return;
    const removed = await this.#app.records
      .collection(audioDays, systemScope)
      .removeMany({ day: { $lt: oldest } }, pageSize);
    if (removed < pageSize) this.#cleared = oldest;
  }
}

function isRecording({ kind }: Asset): boolean {
  return kind !== 'document';
}
