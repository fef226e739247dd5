import type { RowData } from '@zilliz/milvus2-sdk-node';
import type { FileAttributes, IndexedPassage } from '../../../models/passage.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import type { Passages } from '../port.ts';
import { countWords, noWords } from '../word-counts.ts';
import type { Collections } from './collections.ts';
import { applyCounts, countTo } from './counting.ts';
import type { Counted } from './counting.ts';
import { fileRows, organizationRows, revisionRows, rowsOf } from './filter.ts';
import { rowKey } from './keys.ts';
import {
  ensureRevision,
  fileDocument,
  removeOrganizationDocuments,
  addCollections,
  organizationDocument,
  revisionDocument,
  revisionsOf,
} from './ledger.ts';
import type { IndexedRevision, Ledger } from './ledger.ts';
import { attributeFields, joined, rowOf, unpublishedFields } from './rows.ts';
import type { ResultRow } from './rows.ts';
import { page } from './store.ts';
import type { FileRevision, Store } from './store.ts';

/** Greater than every ordinal. */
const endOfRows = 2 ** 21;

type Changes = Pick<Passages, 'write' | 'publish' | 'setAttributes' | 'discard' | 'removeFile' | 'removeOrganization'>;

/** The index's write operations: rows are in Milvus, their state and the statistics in the ledger. */
export function changesOf({
  store,
  ledger,
  collections,
}: {
  store: Store;
  ledger: Ledger;
  collections: Collections;
}): Changes {
  async function attributesOf(scope: OrganizationScope, assetId: string): Promise<FileAttributes | null> {
    return (await ledger.files(scope).get(fileDocument(scope, assetId)))?.attributes ?? null;
  }

  /** Stores the attributes unless the ledger has a later version. */
  async function storeAttributes(scope: OrganizationScope, attributes: FileAttributes): Promise<void> {
    const _id = fileDocument(scope, attributes.assetId);
    const document = { _id, organizationId: scope.organizationId, version: attributes.attributesVersion, attributes };
    const inserted = await ledger.files(scope).insertNew([document]);
    if (inserted.length > 0) return;
    const set = {
      version: attributes.attributesVersion,
      attributes: { ...attributes, principals: [...attributes.principals] },
    };
    await ledger.files(scope).update(_id, { version: { $lte: attributes.attributesVersion } }, { set });
  }

  /** Writes the file's attributes into the rows of a revision below `count`. */
  async function writeAttributes(
    file: FileRevision,
    names: readonly string[],
    count: number,
    fields: RowData,
  ): Promise<void> {
    for (const name of names) {
      for await (const rows of store.rows(name, file, 0, count, ['id'])) {
        if (rows.length > 0)
          await store.change(
            name,
            file.organizationId,
            rows.map((row) => String(row['id'])),
            fields,
          );
      }
    }
  }

  /** Writes the latest attributes into these revisions; repeats if later ones arrived meanwhile. */
  async function writeLatestAttributes(
    scope: OrganizationScope,
    assetId: string,
    targets: () => Promise<readonly IndexedRevision[]>,
  ): Promise<void> {
    for (let written: string | null = null; ;) {
      const latest = await attributesOf(scope, assetId);
      if (latest === null || JSON.stringify(latest) === written) return;
      for (const { revision, collections: names, count } of await targets()) {
        await writeAttributes(
          { organizationId: scope.organizationId, assetId, revision },
          Object.keys(names),
          count,
          attributeFields(latest),
        );
      }
      written = JSON.stringify(latest);
    }
  }

  async function* counted(
    file: FileRevision,
    names: readonly string[],
    from: number,
    to: number,
  ): AsyncIterable<Counted> {
    for (const name of names) {
      for await (const rows of store.rows(name, file, from, to, ['stems', 'length', 'analysed_as'])) {
        for (const row of rows) yield countedOf(row);
      }
    }
  }

  async function allRevisions(scope: OrganizationScope, assetId: string): Promise<IndexedRevision[]> {
    const found: IndexedRevision[] = [];
    for (;;) {
      const more = await revisionsOf(ledger, scope, assetId, found.at(-1)?.revision ?? -1, 100);
      found.push(...more);
      if (more.length < 100) return found;
    }
  }

  async function writePage(
    scope: OrganizationScope,
    file: FileRevision,
    names: ReadonlyMap<IndexedPassage, string>,
  ): Promise<void> {
    const rows = [...names.keys()];
    const { organizationId, assetId, revision } = file;
    const keys = rows.map(({ ordinal }) => rowKey(organizationId, assetId, revision, ordinal));
    const before = await ensureRevision(ledger, scope, assetId, revision, [...new Set(names.values())]);
    const known = Object.keys(before.collections);
    const attributes = before.published ? await attributesOf(scope, assetId) : null;
    const changed = noWords();
    if (before.published) {
      for (const name of known) {
        const old = await store.query(
          name,
          rowsOf(organizationId, keys),
          ['ordinal', 'stems', 'length', 'analysed_as'],
          keys.length,
        );
        for (const row of old) if (Number(row['ordinal']) < before.count) countWords(changed, countedOf(row), -1);
      }
      for (const row of rows) if (row.ordinal < before.count) countWords(changed, row, 1);
    }
    for (const name of known) {
      const ownRows = rows.filter((row) => names.get(row) === name);
      const otherKeys = rows.flatMap((row, index) => (names.get(row) === name ? [] : (keys[index] ?? [])));
      if (otherKeys.length > 0) await store.remove(name, rowsOf(organizationId, otherKeys));
      await store.upsert(
        name,
        ownRows.map((row) =>
          rowOf(
            organizationId,
            file,
            row,
            attributes !== null && row.ordinal < before.count ? attributeFields(attributes) : unpublishedFields,
          ),
        ),
      );
    }
    if (before.published) await applyCounts(ledger, scope, changed);
    const after = await ledger.revisions(scope).get(before._id);
    // Another worker has published the revision meanwhile: these rows need its attributes too.
    if (after?.published === true && !before.published)
      await writeLatestAttributes(scope, assetId, async () => [after]);
  }

  async function discard(scope: OrganizationScope, assetId: string, revision: number): Promise<void> {
    const known = await ledger.revisions(scope).get(revisionDocument(scope, assetId, revision));
    if (known === null) return;
    const file = { organizationId: scope.organizationId, assetId, revision };
    const names = Object.keys(known.collections);
    await countTo(ledger, scope, file, 0, (from, to) => counted(file, names, from, to));
    for (const name of names)
      await store.remove(name, revisionRows(scope.organizationId, assetId, revision, 0, endOfRows));
    await ledger.revisions(scope).remove(known._id);
  }

  const write: Changes['write'] = async (scope, { assetId, revision, embeddingModel }, rows) => {
    const file = { organizationId: scope.organizationId, assetId, revision };
    // If a call contains an ordinal twice, the last row is used.
    const latest = [...new Map(rows.map((row) => [row.ordinal, row])).values()];
    for (let at = 0; at < latest.length; at += page) {
      const names = new Map<IndexedPassage, string>();
      for (const row of latest.slice(at, at + page)) {
        const usable = embeddingModel !== null && row.vector !== null && row.vector.some((value) => value !== 0);
        const model = usable && row.vector !== null ? { id: embeddingModel, size: row.vector.length } : null;
        names.set(usable ? row : { ...row, vector: null }, await collections.ensure(model));
      }
      await addCollections(ledger, scope, [...new Set(names.values())]);
      await writePage(scope, file, names);
    }
  };

  return {
    write,

    async publish(scope, revision, count, attributes, last) {
      const { assetId } = attributes;
      if (last !== undefined) await write(scope, { assetId, revision, embeddingModel: last.embeddingModel }, last.rows);
      const file = { organizationId: scope.organizationId, assetId, revision };
      await addCollections(ledger, scope, []);
      await storeAttributes(scope, attributes);
      const known = await ensureRevision(ledger, scope, assetId, revision, []);
      const names = Object.keys(known.collections);
      if (known.counted > count || known.countingUntil > 0)
        await countTo(ledger, scope, file, Math.min(count, known.counted), (from, to) =>
          counted(file, names, from, to),
        );
      for (const name of names)
        await store.remove(name, revisionRows(scope.organizationId, assetId, revision, count, endOfRows));
      await countTo(ledger, scope, file, count, (from, to) => counted(file, names, from, to));
      const published = { ...known, count };
      await writeLatestAttributes(scope, assetId, async () => [published]);
      await ledger.revisions(scope).update(known._id, {}, { set: { published: true, count } });
      // An update of attributes between these two steps skipped the revision, which was still unpublished.
      const latest = await attributesOf(scope, assetId);
      if (latest !== null && latest.attributesVersion > attributes.attributesVersion)
        await writeLatestAttributes(scope, assetId, async () => [published]);
    },

    async setAttributes(scope, attributes) {
      await storeAttributes(scope, attributes);
      await writeLatestAttributes(scope, attributes.assetId, async () =>
        (await allRevisions(scope, attributes.assetId)).filter(({ published }) => published),
      );
    },

    discard,

    async removeFile(scope, assetId) {
      for (const { revision } of await allRevisions(scope, assetId)) await discard(scope, assetId, revision);
      // A worker that was suspended while its revision was discarded may have written rows that the ledger does not
      // record.
      const known = await ledger.organizations(scope).get(organizationDocument(scope));
      for (const name of Object.keys(known?.collections ?? {}))
        await store.remove(name, fileRows(scope.organizationId, assetId));
      await ledger.files(scope).remove(fileDocument(scope, assetId));
    },

    async removeOrganization(scope) {
      for (;;) {
        const left = await ledger.revisions(scope).find({ filter: {}, limit: page });
        for (const { assetId, revision } of left) await discard(scope, assetId, revision);
        if (left.length < page) break;
      }
      // Rows that the ledger does not record: a suspended worker wrote them late, or the ledger was restored from an
      // older backup.
      for (const name of await collections.all()) await store.remove(name, organizationRows(scope.organizationId));
      await removeOrganizationDocuments(ledger, scope);
    },
  };
}

function countedOf(row: ResultRow): Counted {
  return { stems: joined(row['stems']), length: Number(row['length']), analysedAs: String(row['analysed_as']) };
}
