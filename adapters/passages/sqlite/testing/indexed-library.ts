import { stepsOf } from '../changes.ts';
import { openConnection, type Connection } from '../connection.ts';
import type { Write } from '../messages.ts';
import { PendingWords } from '../pending-words.ts';
import { attributes } from '../../conformance-data.ts';
import type { FileAttributes } from '../../../../models/passage.ts';

/** A passage of a library for tests. */
export interface LibraryPassage {
  stems: string;
  language?: string;
}

/** A library in memory, changed as by the writer thread but without one. */
export class IndexedLibrary {
  readonly connection: Connection = openConnection(':memory:', 'writer');

  /** Runs a change to its end. */
  change(write: Write): void {
    for (const steps = stepsOf(this.connection, write); steps.next().done !== true;);
  }

  /** Runs changes to their ends. Words of small new files are indexed together, in one run. */
  changeTogether(writes: readonly Write[]): void {
    const words = new PendingWords();
    for (const write of writes) for (const steps = stepsOf(this.connection, write, words); steps.next().done !== true;);
    words.flush(this.connection);
  }

  publish(...publication: Parameters<IndexedLibrary['publication']>): void {
    this.change(this.publication(...publication));
  }

  /** The change that publishes a file with these passages. */
  publication(
    assetId: string,
    passages: readonly LibraryPassage[],
    { revision = 1, ...more }: Partial<FileAttributes> & { revision?: number } = {},
  ): Extract<Write, { kind: 'publish' }> {
    const rows = passages.map(({ stems, language = 'en' }, ordinal) => ({
      ordinal,
      text: stems,
      stems,
      length: stems.split(' ').length,
      location: {},
      language,
      speaker: null,
      analysedAs: language,
    }));
    return {
      kind: 'publish',
      organizationId: 'organization',
      assetId,
      revision,
      count: rows.length,
      attributes: attributes(assetId, more),
      last: { embeddingModel: null, rows, vectors: new Float32Array(), vectorSizes: new Uint32Array(rows.length) },
    };
  }

  remove(assetId: string): void {
    this.change({ kind: 'removeFile', organizationId: 'organization', assetId });
  }
}
