import type { AssetView, SearchResponse } from '../../models/api.ts';
import { routeTable } from '../../services/gateway/table.ts';
import { content, type Client } from '../api/support/client.ts';
import type { TestFile } from './file.ts';
import { principalsQuery, readerQuery, type Reader } from './readers.ts';

/** A response to a reader: the files by externalId, with the passages of each. */
export interface Shown {
  files: Map<string, number>;
  /** All files that the response covers; files missing from it must be hidden. */
  of: readonly TestFile[];
  /** The required state of a file. */
  needs: 'registered' | 'indexed';
  /**
   * `never`: the response must contain every visible file with all passages. `always`: it may contain a part; `duringChanges`:
   * it may while something changes.
   */
  partly: 'never' | 'duringChanges' | 'always';
  /** Whether the numbers count passages; otherwise each file counts once. */
  counts: 'passages' | 'files';
  /** Restricted to files with this label. */
  label: number | null;
}

/** The organization in which an operation is called. */
export interface Place {
  client: Client;
  files: readonly TestFile[];
  word: string;
}

/** One way to call an operation as a reader. */
export interface Operation {
  title: string;
  method: 'GET' | 'POST';
  /** Its name in the table of routes; missing operations are skipped. */
  path: string;
  ask: (place: Place, reader: Reader) => Promise<Shown>;
}

type RelatedItem = { sourceReference: { externalId: string } };
type Related = { items: { externalId: string }[] };

const withReader = (reader: Reader): { principals?: readonly string[] } =>
  reader === undefined ? {} : { principals: reader };

function tally(items: readonly string[]): Map<string, number> {
  const files = new Map<string, number>();
  for (const item of items) files.set(item, (files.get(item) ?? 0) + 1);
  return files;
}

const searched = (place: Place, fields: Partial<Shown>, files: Map<string, number>): Shown => ({
  files,
  of: place.files,
  needs: 'indexed',
  partly: 'never',
  counts: 'passages',
  label: null,
  ...fields,
});

async function search({ client, word }: Place, reader: Reader, more: object): Promise<SearchResponse> {
  const { items, ...rest } = await client.search({ query: word, limit: 100, ...more, ...withReader(reader) });
  return { items, ...rest };
}

/** Reads of single files, some of which respond as if the file did not exist. */
async function single(place: Place, query: string, path: string, chosen: (file: TestFile) => boolean): Promise<Shown> {
  const asked = place.files.filter((file) => file.assetId !== null && chosen(file));
  const answers = await Promise.all(
    asked.map(async (file) => {
      const { status, body } = await place.client.ask('GET', `${content}/assets/${file.assetId}${path}?${query}`);
      if (status === 404) expect(body.code).toBe('asset_not_found');
      // What is seen may still be refused for another reason, such as a transcript that is not ready.
      else expect([200, 409]).toContain(status);
      return status === 404 ? [] : [file.externalId];
    }),
  );
  return {
    files: tally(answers.flat()),
    of: asked,
    needs: 'registered',
    partly: 'never',
    counts: 'files',
    label: null,
  };
}

async function activity(place: Place, reader: Reader, more: string): Promise<Shown> {
  const { items } = await place.client.get<{ items: AssetView[] }>(
    200,
    'GET',
    `${content}/activity?limit=100${more}&${readerQuery(reader)}`,
  );
  return {
    files: tally(items.map(({ externalId }) => externalId)),
    of: place.files,
    needs: 'registered',
    partly: 'never',
    counts: 'files',
    label: null,
  };
}

/** All ways to call as a reader. To add one, add a row; it is used as soon as the route exists. */
const rows: readonly Operation[] = [
  {
    title: 'search by passage',
    method: 'POST',
    path: '/search',
    ask: async (place, reader) =>
      searched(
        place,
        {},
        tally((await search(place, reader, {})).items.map((item) => item.sourceReference.externalId)),
      ),
  },
  {
    title: 'search by file',
    method: 'POST',
    path: '/search',
    ask: async (place, reader) => {
      const { items } = await search(place, reader, { group: 'file' });
      expect(new Set(items.map(({ assetId }) => assetId)).size).toBe(items.length);
      for (const { moments, momentCount } of items) expect(moments!.length).toBeLessThanOrEqual(momentCount!);
      return searched(place, {}, new Map(items.map((item) => [item.sourceReference.externalId, item.momentCount!])));
    },
  },
  {
    title: 'search, narrowed by metadata',
    method: 'POST',
    path: '/search',
    ask: async (place, reader) =>
      searched(
        place,
        { label: 1 },
        tally(
          (await search(place, reader, { filter: { metadata: { label: 1 } } })).items.map(
            (item) => item.sourceReference.externalId,
          ),
        ),
      ),
  },
  {
    title: 'answer',
    method: 'POST',
    path: '/answer',
    ask: async (place, reader) => {
      const { answer, citations } = await place.client.get<{ answer: string | null; citations: RelatedItem[] }>(
        200,
        'POST',
        `${content}/answer`,
        { body: { query: place.word, ...withReader(reader) } },
      );
      expect(answer === null).toBe(citations.length === 0);
      return searched(
        place,
        { partly: 'always' },
        tally(citations.map((citation) => citation.sourceReference.externalId)),
      );
    },
  },
  {
    title: 'related',
    method: 'GET',
    path: '/assets/{assetId}/related',
    ask: async (place, reader) => {
      const target = place.files.find((file) => file.assetId !== null);
      const of = place.files.filter((file) => file !== target);
      const answer =
        target === undefined
          ? null
          : await place.client.ask<Related>(
              'GET',
              `${content}/assets/${target.assetId}/related?limit=50&${principalsQuery(reader)}`,
            );
      // A hidden file has no related files; those of a file in progress may be unknown for a moment.
      if (answer === null || answer.status === 404) return searched(place, { partly: 'always' }, new Map());
      return searched(
        place,
        { of, partly: 'duringChanges', counts: 'files' },
        tally(answer.body.items.map(({ externalId }) => externalId)),
      );
    },
  },
  {
    title: 'related files',
    method: 'GET',
    path: '/assets/{assetId}/related',
    // Without principals, the organization itself may use any of its files.
    ask: async (place, reader) =>
      single(place, principalsQuery(reader), '/related', () => reader !== undefined && reader.length > 0),
  },
  {
    title: 'activity, newest first',
    method: 'GET',
    path: '/activity',
    ask: (place, reader) => activity(place, reader, ''),
  },
  {
    title: 'activity, by file name',
    method: 'GET',
    path: '/activity',
    ask: (place, reader) => activity(place, reader, '&order=filename'),
  },
  {
    title: 'a single read',
    method: 'GET',
    path: '/assets/{assetId}',
    ask: (place, reader) => single(place, readerQuery(reader), '', () => true),
  },
  {
    title: 'a transcript',
    method: 'GET',
    path: '/assets/{assetId}/transcript',
    ask: (place, reader) => single(place, readerQuery(reader), '/transcript', () => true),
  },
  {
    title: 'playback',
    method: 'GET',
    path: '/assets/{assetId}/playback',
    ask: (place, reader) => single(place, readerQuery(reader), '/playback', () => true),
  },
];

const isThere = ({ method, path }: Pick<Operation, 'method' | 'path'>): boolean =>
  routeTable.some((route) => route.method === method && route.path === `${content}${path}`);

/** The operations that this program has. */
export const operations: readonly Operation[] = rows.filter(isThere);

/** Operations with reader principals that are missing here. */
export function missingOperations(): string[] {
  const writes = new Set(['registerAsset', 'importAssets', 'writePermissions']);
  const takesReader = (route: (typeof routeTable)[number]): boolean =>
    'principals' in route.query || JSON.stringify(route.body?.json ?? null).includes('"principals":');
  return routeTable
    .filter((route) => takesReader(route) && !writes.has(route.operation))
    .filter((route) => !rows.some(({ method, path }) => method === route.method && `${content}${path}` === route.path))
    .map(({ method, path }) => `${method} ${path}`);
}
