import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { derivedFolder } from '../../mixins/blobs/derived.ts';
import { firstSchema, type SchemaDocument } from '../../models/migrations.ts';
import type { Asset } from '../../models/asset.ts';
import { derivedNames } from '../../models/transcript.ts';
import { CommandError } from '../connection.ts';
import type { Manifest } from './manifest.ts';

/** Attempts to open both stores between two writes; each takes less than a millisecond. */
const maxTries = 2000;
/** Number of pages that are copied at a time. */
const pagesAtOnce = 2000;

/** The parts of a file's record that the backup needs. */
export interface Named {
  organizationId: string;
  assetId: string;
  /** The active revision with its number of passages; null if there is none. */
  active: { revision: number; passages: number } | null;
  /** The revision of an unfinished run; null if the run has ended. */
  inProgress: number | null;
  /** Folders of the file's blobs, including discarded ones with a pending removal. */
  folders: string[];
  /** Blobs that embedding the file requires. */
  blobs: string[];
}

function namedOf({ _id: assetId, organizationId, kind, activeRevision, facts, run, outbox }: Asset): Named {
  const folderOf = (revision: number): string => derivedFolder(organizationId, assetId, revision);
  const isInProgress = run.phase !== 'ended' && run.phase !== 'removing';
  const requiredBlobs =
    kind === 'document'
      ? [
          ...(activeRevision === null || run.phase === 'removing' ? [] : [activeRevision]),
          ...(isInProgress && run.stage === 'embedding' && run.purpose === 'index' ? [run.revision] : []),
        ]
      : [];
  const revisions = [
    ...(activeRevision === null ? [] : [activeRevision]),
    run.revision,
    ...outbox.flatMap((entry) => (entry.kind === 'discard' ? [entry.revision] : [])),
  ];
  return {
    organizationId,
    assetId,
    active:
      activeRevision === null || run.phase === 'removing'
        ? null
        : { revision: activeRevision, passages: facts?.passages ?? 0 },
    inProgress: isInProgress ? run.revision : null,
    folders: revisions.map(folderOf),
    blobs: requiredBlobs.map((revision) => `${folderOf(revision)}${derivedNames.blocks}`),
  };
}

/**
 * Records and passages of the same moment between two writes, while the program continues. Passages always contain
 * everything that the records name: a revision is published before the write that activates it, and discarded after the
 * write that activates another one.
 */
export class Snapshot {
  private readonly records: DatabaseSync;
  private readonly passages: DatabaseSync;
  readonly takenAt: number;

  private constructor(records: DatabaseSync, passages: DatabaseSync, takenAt: number) {
    this.records = records;
    this.passages = passages;
    this.takenAt = takenAt;
  }

  /** @throws CommandError if there is no data, or no moment between two writes is found */
  static async take(folder: string, now: () => number): Promise<Snapshot> {
    const opened: DatabaseSync[] = [];
    const openFile = (name: string): DatabaseSync => {
      const database = new DatabaseSync(join(folder, name), { readOnly: true, timeout: 10_000 });
      opened.push(database);
      return database;
    };
    try {
      const [records, passages, watch] = [openFile('records.db'), openFile('passages.db'), openFile('records.db')];
      const version = watch.prepare('pragma data_version');
      for (let tries = 0; tries < maxTries; tries += 1) {
        const before = version.get()?.['data_version'];
        // A transaction reads the state of its first read until it ends.
        for (const database of [records, passages]) {
          database.exec('begin');
          database.prepare('select count(*) from sqlite_schema').get();
        }
        if (version.get()?.['data_version'] === before) {
          watch.close();
          return new Snapshot(records, passages, now());
        }
        for (const database of [records, passages]) database.exec('rollback');
        await pause(Math.random() * 3);
      }
      throw new CommandError(
        'The records are written continuously, so no consistent moment of records and passages was found. Try again with less load.',
      );
    } catch (error) {
      for (const database of opened) if (database.isOpen) database.close();
      throw error;
    }
  }

  /** The needed parts of all file records. */
  *named(): Generator<Named> {
    for (const row of this.records.prepare('select doc from assets order by _id').iterate())
      yield namedOf(JSON.parse(String(row['doc'])) as Asset);
  }

  /** The needed parts of one file record; null if there is none. */
  namedOf(assetId: string): Named | null {
    const row = this.records.prepare('select doc from assets where _id = ?').get(assetId);
    return row === undefined ? null : namedOf(JSON.parse(String(row['doc'])) as Asset);
  }

  /** Whether the records have a collection, which an earlier version may lack. */
  private hasTable(name: string): boolean {
    return (
      this.records.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined
    );
  }

  /** Whether the records contain a small blob of this name. */
  hasText(key: string): boolean {
    return this.hasTable('blobs') && this.records.prepare('select 1 from blobs where _id = ?').get(key) !== undefined;
  }

  /** Retrievable passages of a revision. */
  passagesOf({ organizationId, assetId }: Named, revision: number): number {
    const row = this.passages
      .prepare(
        `select r.passages as passages from organizations o join files f on f.organization = o.number and f.asset_id = ?
       join revisions r on r.file = f.number and r.revision = ? where o.id = ? and r.published = 1`,
      )
      .get(assetId, revision, organizationId);
    return Number(row?.['passages'] ?? 0);
  }

  /** Schema versions of the stores; those of the first version if none is recorded. */
  schema(): Manifest['schema'] {
    const doc = this.hasTable('schema')
      ? this.records.prepare("select doc from schema where _id = 'schema'").get()?.['doc']
      : undefined;
    const { records, passages } = typeof doc === 'string' ? (JSON.parse(doc) as SchemaDocument) : firstSchema;
    return { records, passages };
  }

  /** Retrievable passages of all files. */
  countPassages(): number {
    return Number(
      this.passages.prepare('select coalesce(sum(passages), 0) as passages from organizations').get()?.['passages'] ??
        0,
    );
  }

  /** Copies both files as they are in this snapshot. */
  async copyTo(folder: string): Promise<void> {
    await backup(this.records, join(folder, 'records.db'), { rate: pagesAtOnce });
    await backup(this.passages, join(folder, 'passages.db'), { rate: pagesAtOnce });
  }

  close(): void {
    for (const database of [this.records, this.passages]) if (database.isOpen) database.close();
  }
}
