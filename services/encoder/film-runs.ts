import type { VideoFiles } from './files.ts';

/** Which runs of ffmpeg a stage of an encoding has to make yet, by the segments that are there. */
export class FilmRuns {
  readonly #files: Pick<VideoFiles, 'segmentsFrom'>;
  readonly #folders: readonly string[];
  readonly #length: number;
  /** The number of the first run behind the end; null where nobody knows yet. */
  #end: number | null;
  /** The first run that is not whole. */
  #first = 0;
  #missing = 0;

  /**
   * @param folders of the renditions, with slashes at their ends
   * @param length segments of a run
   * @param count runs by the length of the source; null where it is not known
   */
  constructor(
    files: Pick<VideoFiles, 'segmentsFrom'>,
    folders: readonly string[],
    { length, count }: { length: number; count: number | null },
  ) {
    this.#files = files;
    this.#folders = folders;
    this.#length = length;
    this.#end = count;
  }

  /** The source has nothing at this run and behind it, whatever its header says. */
  endAt(run: number): void {
    this.#end = Math.min(run, this.#end ?? run);
  }

  /** The share that is done as of the last look; 0 where the end is not known. */
  get share(): number {
    return this.#end === null || this.#end === 0 ? 0 : 1 - this.#missing / this.#end;
  }

  /** The runs that are not whole in every rendition, in order; only the first one while the end is not known. */
  async missing(): Promise<number[]> {
    const first = this.#first;
    const whole = await Promise.all(this.#folders.map((folder) => this.#wholeIn(folder)));
    const missing: number[] = [];
    for (let run = first; run < (this.#end ?? Infinity); run += 1) {
      if (whole.every((runs) => runs.has(run))) continue;
      missing.push(run);
      if (this.#end === null) break;
    }
    this.#first = missing[0] ?? first;
    this.#missing = missing.length;
    return missing;
  }

  /** Runs of a rendition that are whole; learns where the end is. */
  async #wholeIn(folder: string): Promise<ReadonlySet<number>> {
    const counts = new Map<number, number>();
    const whole = new Set<number>();
    for await (const { number, isLast } of this.#files.segmentsFrom(folder, this.#first * this.#length)) {
      const run = Math.floor(number / this.#length);
      const count = (counts.get(run) ?? 0) + 1;
      counts.set(run, count);
      const isComplete = count === this.#length || (isLast && count === (number % this.#length) + 1);
      if (isComplete) whole.add(run);
      if (isComplete && isLast) this.endAt(run + 1);
    }
    return whole;
  }
}
