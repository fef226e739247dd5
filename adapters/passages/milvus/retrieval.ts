import { evenlySpaced } from '../../../models/passage.ts';
import { isOfContents } from '../../../models/passage-words.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import type { Candidate, NearFile, PassageKey, Passages, Retrieval, RetrievalResult } from '../port.ts';
import { indexToken } from '../tokens.ts';
import { matchTerms } from '../term-matches.ts';
import { documentFrequency } from '../word-counts.ts';
import type { Collections } from './collections.ts';
import { organizationRows, restriction, rowsOf } from './filter.ts';
import { rowKey } from './keys.ts';
import { organizationDocument, revisionDocument, stemDocument } from './ledger.ts';
import type { IndexedOrganization, Ledger } from './ledger.ts';
import { candidateFields, joined, passageFields, passageOf } from './rows.ts';
import type { ResultRow } from './rows.ts';
import { maxRows, page } from './store.ts';
import type { Store } from './store.ts';

/** Passages that the first query requests for each requested file. */
const passagesPerFile = 8;

type Reads = Pick<
  Passages,
  | 'retrieve'
  | 'nearestFiles'
  | 'vectorsOf'
  | 'holdsVectors'
  | 'sampleVectors'
  | 'frequenciesOf'
  | 'fetch'
  | 'languages'
  | 'countOf'
>;

/** The index's read operations. */
export function readsOf({
  store,
  ledger,
  collections,
}: {
  store: Store;
  ledger: Ledger;
  collections: Collections;
}): Reads {
  /** The collections that contain rows of an organization; checks that each has the expected schema. */
  async function collectionsIn(known: IndexedOrganization | null): Promise<string[]> {
    const names = Object.keys(known?.collections ?? {});
    await Promise.all(names.map((name) => collections.expect(name)));
    return names;
  }

  async function collectionsOf(scope: OrganizationScope): Promise<string[]> {
    return collectionsIn(await ledger.organizations(scope).get(organizationDocument(scope)));
  }

  async function candidatesOf(
    scope: OrganizationScope,
    retrieval: Retrieval,
    names: readonly string[],
  ): Promise<Candidate[]> {
    const { terms, vectors, limit } = retrieval;
    const filter = restriction(scope.organizationId, retrieval);
    const tokens = [...new Set(terms.flat())].map(indexToken).join(' ');
    const legs = vectors.flatMap(({ model, vector }) => {
      const name = collections.nameOf({ id: model, size: vector.length });
      return names.includes(name) ? [{ model, name, vector: [...vector] }] : [];
    });
    const words = tokens === '' ? [] : names.map((name) => store.search(name, tokens, filter, candidateFields, limit));
    const [byMeaning, byWords] = await Promise.all([
      Promise.all(legs.map(({ name, vector }) => store.search(name, vector, filter, candidateFields, limit))),
      Promise.all(words),
    ]);
    const found = new Map<string, Candidate>();
    byMeaning.forEach((rows, index) => {
      for (const row of rows) {
        if (row['organization_id'] === scope.organizationId)
          found.set(String(row['id']), candidateOf(row, terms, Number(row['score']), legs[index]?.model ?? null));
      }
    });
    const withoutCosine = new Map<string, string[]>();
    byWords.forEach((rows, index) => {
      for (const row of rows) {
        const id = String(row['id']);
        if (row['organization_id'] !== scope.organizationId || found.has(id)) continue;
        const candidate = candidateOf(row, terms, null, null);
        // Some servers pad a result with rows that contain none of the words.
        if (!candidate.frequencies.some((frequency) => frequency > 0)) continue;
        found.set(id, candidate);
        const name = names[index] ?? '';
        withoutCosine.set(name, [...(withoutCosine.get(name) ?? []), id]);
      }
    });
    await Promise.all(
      legs.map(async ({ model, name, vector }) => {
        const ids = withoutCosine.get(name) ?? [];
        if (ids.length === 0) return;
        const wanted = `${filter} and id in [${ids.join(',')}]`;
        for (const row of await store.search(name, vector, wanted, ['id'], ids.length)) {
          const candidate = found.get(String(row['id']));
          if (candidate !== undefined) Object.assign(candidate, { cosine: Number(row['score']), model });
        }
      }),
    );
    return [...found.values()];
  }

  return {
    async retrieve(scope, retrieval): Promise<RetrievalResult> {
      const organization = await ledger.organizations(scope).get(organizationDocument(scope));
      const passages = organization?.passages ?? 0;
      const names = await collectionsIn(organization);
      const stems = [...new Set(retrieval.terms.flat())];
      const [candidates, counts] = await Promise.all([
        candidatesOf(scope, retrieval, names),
        stems.length === 0 ? [] : ledger.stems(scope).getMany(stems.map((stem) => stemDocument(scope, stem))),
      ]);
      const countById = new Map(counts.map((count) => [count._id, count.passages]));
      const countOfStem = (stem: string): number => countById.get(stemDocument(scope, stem)) ?? 0;
      return {
        candidates,
        statistics: {
          passages,
          averageLength: passages === 0 ? 0 : (organization?.words ?? 0) / passages,
          documentFrequencies: retrieval.terms.map((term) => documentFrequency(countOfStem, term, passages)),
        },
      };
    },

    async nearestFiles(scope, retrieval) {
      const { vector, embeddingModel, limit } = retrieval;
      const name = collections.nameOf({ id: embeddingModel, size: vector.length });
      if (!(await collectionsOf(scope)).includes(name)) return [];
      const filter = restriction(scope.organizationId, retrieval);
      // Some servers group only the rows of an ungrouped result. So rows are grouped here, and the query is repeated
      // with a larger limit if long files crowd others out.
      for (let requested = Math.max(page, passagesPerFile * limit); ; requested *= 4) {
        const rows = await store.search(
          name,
          [...vector],
          filter,
          ['organization_id', 'asset', 'revision', 'ordinal', 'version'],
          requested,
        );
        const files = new Map<string, NearFile>();
        for (const row of rows) {
          const key = `${String(row['asset'])}/${Number(row['revision'])}`;
          if (row['organization_id'] === scope.organizationId && !files.has(key)) files.set(key, nearFileOf(row));
        }
        if (files.size >= limit || rows.length < requested || requested >= maxRows)
          return [...files.values()].slice(0, limit);
      }
    },

    async vectorsOf(scope, { assetId, revision }, model, maxVectors) {
      const known = await ledger.revisions(scope).get(revisionDocument(scope, assetId, revision));
      const name = collections.nameOf({ id: model.id, size: model.dimensions });
      if (known?.published !== true || known.collections[name] !== true) return [];
      const ids = evenlySpaced(known.count, Math.min(maxVectors, page)).map((ordinal) =>
        idOf(scope, { assetId, revision, ordinal }),
      );
      const rows =
        ids.length === 0
          ? []
          : await store.query(
              name,
              rowsOf(scope.organizationId, ids),
              ['ordinal', 'organization_id', 'dense'],
              ids.length,
            );
      return rows
        .filter((row) => row['organization_id'] === scope.organizationId)
        .sort((one, other) => Number(one['ordinal']) - Number(other['ordinal']))
        .flatMap(({ dense }) => (Array.isArray(dense) ? [Float32Array.from(dense, Number)] : []));
    },

    async holdsVectors(scope, models) {
      const names = await collectionsOf(scope);
      return models.map(({ id, dimensions }) => names.includes(collections.nameOf({ id, size: dimensions })));
    },

    async sampleVectors(scope, model, maxVectors) {
      const name = collections.nameOf({ id: model.id, size: model.dimensions });
      if (!(await collectionsOf(scope)).includes(name)) return [];
      // Keys are hashes, and rows are read in their order: the first ones are spread over the library.
      const rows = await store.query(
        name,
        `${organizationRows(scope.organizationId)} and live == true`,
        ['organization_id', 'dense'],
        maxVectors,
      );
      return rows
        .filter((row) => row['organization_id'] === scope.organizationId)
        .flatMap(({ dense }) => (Array.isArray(dense) ? [Float32Array.from(dense, Number)] : []));
    },

    async frequenciesOf(scope, stems) {
      const counts =
        stems.length === 0
          ? []
          : await ledger.stems(scope).getMany([...new Set(stems)].map((stem) => stemDocument(scope, stem)));
      const byId = new Map(counts.map((count) => [count._id, count.passages]));
      return stems.map((stem) => byId.get(stemDocument(scope, stem)) ?? 0);
    },

    async fetch(scope, keys) {
      const names = await collectionsOf(scope);
      const found = new Map<string, ReturnType<typeof passageOf>>();
      const ids = keys.map((key) => idOf(scope, key));
      for (let at = 0; at < ids.length; at += page) {
        const wanted = ids.slice(at, at + page);
        for (const rows of await Promise.all(
          names.map((name) =>
            store.query(name, rowsOf(scope.organizationId, wanted), ['id', ...passageFields], wanted.length),
          ),
        )) {
          for (const row of rows)
            if (row['organization_id'] === scope.organizationId) found.set(String(row['id']), passageOf(row));
        }
      }
      return ids.flatMap((id) => found.get(id) ?? []);
    },

    async languages(scope) {
      const known = (await ledger.organizations(scope).get(organizationDocument(scope)))?.languages ?? {};
      return Object.keys(known)
        .filter((language) => (known[language] ?? 0) > 0)
        .sort();
    },

    async countOf(scope, assetId, revision) {
      const known = await ledger.revisions(scope).get(revisionDocument(scope, assetId, revision));
      return known?.published === true ? known.passages : 0;
    },
  };
}

function nearFileOf(row: ResultRow): NearFile {
  return {
    assetId: String(row['asset']),
    revision: Number(row['revision']),
    ordinal: Number(row['ordinal']),
    attributesVersion: Number(row['version']),
    cosine: Number(row['score']),
  };
}

function idOf(scope: OrganizationScope, { assetId, revision, ordinal }: PassageKey): string {
  return rowKey(scope.organizationId, assetId, revision, ordinal);
}

function candidateOf(
  row: ResultRow,
  terms: Retrieval['terms'],
  cosine: number | null,
  model: string | null,
): Candidate {
  const stems = joined(row['stems']);
  const { frequencies, positions, forms } = matchTerms(stems, terms);
  return {
    assetId: String(row['asset']),
    revision: Number(row['revision']),
    ordinal: Number(row['ordinal']),
    attributesVersion: Number(row['version']),
    frequencies,
    positions,
    forms,
    length: Number(row['length']),
    cosine,
    model,
    analysedAs: String(row['analysed_as']),
    ...(isOfContents(stems) ? { isContents: true } : {}),
  };
}
