/** Ids that are remembered; with more, all documents count as touched. */
const maxIds = 20_000;

/**
 * What the writes to one collection that have ended may have changed. No other process writes to the file, so a document
 * that was read at a version, and not touched since, is as it was read.
 */
export class TouchedDocuments {
  readonly #touchedAt = new Map<string, number>();
  #allTouchedAt = 0;
  #version = 0;

  /** Grows with each message of writes that has ended, before their promises resolve. */
  get version(): number {
    return this.#version;
  }

  /** Whether a write that has ended after this version may have changed a document. */
  isTouched(id: string, since: number): boolean {
    return since < this.#allTouchedAt || (this.#touchedAt.get(id) ?? 0) > since;
  }

  /** Writes have ended that touch these documents; null for any. */
  touch(ids: readonly string[] | null): void {
    this.#version += 1;
    if (ids === null || this.#touchedAt.size + ids.length > maxIds) {
      this.#touchedAt.clear();
      this.#allTouchedAt = this.#version;
    } else for (const id of ids) this.#touchedAt.set(id, this.#version);
  }
}
