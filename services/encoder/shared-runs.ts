import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { keepLease, LeaseLost } from '../../mixins/work/lease.ts';
import { scopeOf } from '../../models/scope.ts';
import { videos, type RunClaim, type Video } from '../../models/video.ts';

/** How often a process looks whether the video has a holder again, in milliseconds. */
const lookEveryMs = 500;

/** A run that this process has taken, and keeps until it is released. */
export interface TakenRun {
  number: number;
  /** Aborted when another process may take it. */
  signal: AbortSignal;
  release(): Promise<void>;
}

/**
 * Who makes which run of a stage, where several encoders share a video. The claims are kept in the video and expire as
 * leases do. They only keep two processes from making the same: a run has the same bytes whoever makes it, and files are
 * written under the lease of the video.
 */
export class SharedRuns {
  readonly #app: AppContext;
  readonly #video: Video;
  readonly #all: Collection<Video>;
  readonly #stopping: AbortSignal;

  constructor(app: AppContext, video: Video, stopping: AbortSignal) {
    this.#app = app;
    this.#video = video;
    this.#all = app.records.collection(videos, scopeOf(video.organizationId));
    this.#stopping = stopping;
  }

  /** Those of some runs that nobody makes; none where the video is in no encoder's hands or at another stage. */
  async free(runs: readonly number[]): Promise<number[]> {
    const video = await this.#current();
    return video === null ? [] : runs.filter((run) => this.#isFree(this.#claimOf(video, run)));
  }

  /** Takes the first of some runs that nobody makes; null where all are made. */
  async take(runs: readonly number[]): Promise<TakenRun | null> {
    const video = await this.#current();
    if (video === null) return null;
    const durationMs = this.#app.configuration.PLY_LEASE_SECONDS * 1000;
    for (const number of runs) {
      const claim = this.#claimOf(video, number);
      if (!this.#isFree(claim)) continue;
      const path = this.#pathOf(number);
      const isMine = { [`${path}.owner`]: this.#app.nodeId };
      const write = async (filter: { [path: string]: string | number | null }): Promise<boolean> => {
        const value: RunClaim = { owner: this.#app.nodeId, until: this.#app.records.time() + durationMs };
        const change = { set: { [path]: value }, increment: { version: 1 } };
        return (await this.#all.update(video._id, { ...this.#atStage(), ...filter }, change)) !== null;
      };
      if (!(await write({ [`${path}.until`]: claim?.until ?? null }))) continue;
      const lease = keepLease({ durationMs, renew: () => write(isMine), stopping: this.#stopping, log: this.#app.log });
      return {
        number,
        signal: lease.signal,
        release: async () => {
          await lease.end();
          await this.#all.update(video._id, isMine, { unset: [path], increment: { version: 1 } });
        },
      };
    }
    return null;
  }

  /**
   * The token of the lease that the video is worked on with. Waits where its encoder was lost, until another has it.
   * @throws LeaseLost where the stage is over, or nobody takes the video
   */
  async token(): Promise<number> {
    const until = performance.now() + 3 * this.#app.configuration.PLY_LEASE_SECONDS * 1000;
    for (;;) {
      const { _id, generation, run } = this.#video;
      const video = await this.#all.get(_id);
      if (video?.generation !== generation || video.run.stage !== run.stage || performance.now() > until)
        throw new LeaseLost('the stage is over');
      if (video.run.phase === 'working') return video.run.token;
      await pause(lookEveryMs, undefined, { signal: this.#stopping });
    }
  }

  /** The video, while an encoder works on it at the same stage of the same encoding. */
  async #current(): Promise<Video | null> {
    const video = await this.#all.get(this.#video._id);
    const { generation, run } = this.#video;
    const isSame = video?.generation === generation && video.run.stage === run.stage && video.run.phase === 'working';
    return isSame ? video : null;
  }

  #atStage(): { [path: string]: string | number } {
    const { generation, run } = this.#video;
    return { generation, 'run.stage': run.stage, 'run.phase': 'working' };
  }

  #claimOf({ claims }: Video, run: number): RunClaim | undefined {
    return claims?.[this.#nameOf(run)];
  }

  #isFree(claim: RunClaim | undefined): boolean {
    return claim === undefined || claim.until <= this.#app.records.time();
  }

  #nameOf(run: number): string {
    return `${this.#video.run.stage}_${this.#video.generation}_${run}`;
  }

  #pathOf(run: number): string {
    return `claims.${this.#nameOf(run)}`;
  }
}
