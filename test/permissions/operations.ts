import type { AssetView, FilePassages, PassageView, SearchResponse } from '../../models/api.ts';
import { mcpPath } from '../../services/gateway/mcp/serve.ts';
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
   * `never`: the response must contain every visible file with all passages. `always`: it may contain a part;
   * `duringChanges`: it may while something changes.
   */
  partly: 'never' | 'duringChanges' | 'always';
  /** Whether the numbers count passages; otherwise each file counts once. */
  counts: 'passages' | 'files';
  /** Restricted to files with this label. */
  label: number | null;
}

/** The organization in which an operation is called. */
export interface Library {
  client: Client;
  files: readonly TestFile[];
  word: string;
}

/** One way to call an operation as a reader. */
export interface Operation {
  title: string;
  method: 'GET' | 'POST';
  /** Its name in the table of routes, where missing operations are skipped, or that of language models. */
  path: string;
  ask: (library: Library, reader: Reader) => Promise<Shown>;
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

const searched = (library: Library, fields: Partial<Shown>, files: Map<string, number>): Shown => ({
  files,
  of: library.files,
  needs: 'indexed',
  partly: 'never',
  counts: 'passages',
  label: null,
  ...fields,
});

async function search({ client, word }: Library, reader: Reader, more: object): Promise<SearchResponse> {
  const { items, ...rest } = await client.search({ query: word, limit: 100, ...more, ...withReader(reader) });
  return { items, ...rest };
}

/** Reads of single files, some of which respond as if the file did not exist. */
async function single(
  library: Library,
  query: string,
  path: string,
  chosen: (file: TestFile) => boolean,
): Promise<Shown> {
  const asked = library.files.filter((file) => file.assetId !== null && chosen(file));
  const answers = await Promise.all(
    asked.map(async (file) => {
      const { status, body } = await library.client.ask('GET', `${content}/assets/${file.assetId}${path}?${query}`);
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

async function activity(library: Library, reader: Reader, more: string): Promise<Shown> {
  const { items } = await library.client.get<{ items: AssetView[] }>(
    200,
    'GET',
    `${content}/activity?limit=100${more}&${readerQuery(reader)}`,
  );
  return {
    files: tally(items.map(({ externalId }) => externalId)),
    of: library.files,
    needs: 'registered',
    partly: 'never',
    counts: 'files',
    label: null,
  };
}

/** What a tool of a language model answers. */
interface ToolAnswer<T> {
  result: { structuredContent?: T; content: { text: string }[]; isError?: boolean };
}

/**
 * How many passages a language model reads of a file that is listed for its organization: the first one and those after
 * it.
 */
async function readByTool({ client }: Library, file: TestFile, reader: Reader): Promise<string[]> {
  const { body } = await client.ask<Partial<FilePassages>>('GET', `${content}/assets/${file.assetId}/passages`);
  const passageId = body.items?.[0]?.passageId;
  if (passageId === undefined) return [];
  const given = { passageId, before: 0, after: 10, ...withReader(reader) };
  const { result } = await client.get<ToolAnswer<PassageView>>(200, 'POST', mcpPath, {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_passage', arguments: given } },
  });
  if (result.isError === true) {
    const { code } = JSON.parse(result.content[0]?.text ?? '{}') as { code?: string };
    // Another revision may have become active since it was listed.
    expect(['asset_not_found', 'passage_not_found']).toContain(code);
    return [];
  }
  return result.structuredContent?.passages.map(() => file.externalId) ?? [];
}

/** All ways to call as a reader. To add one, add a row; it is used as soon as the route exists. */
const rows: readonly Operation[] = [
  {
    title: 'search by passage',
    method: 'POST',
    path: '/search',
    ask: async (library, reader) =>
      searched(
        library,
        {},
        tally((await search(library, reader, {})).items.map((item) => item.sourceReference.externalId)),
      ),
  },
  {
    title: 'search by file',
    method: 'POST',
    path: '/search',
    ask: async (library, reader) => {
      const { items } = await search(library, reader, { group: 'file' });
      expect(new Set(items.map(({ assetId }) => assetId)).size).toBe(items.length);
      for (const { moments, momentCount } of items) expect(moments!.length).toBeLessThanOrEqual(momentCount!);
      return searched(library, {}, new Map(items.map((item) => [item.sourceReference.externalId, item.momentCount!])));
    },
  },
  {
    title: 'search, narrowed by metadata',
    method: 'POST',
    path: '/search',
    ask: async (library, reader) =>
      searched(
        library,
        { label: 1 },
        tally(
          (await search(library, reader, { filter: { metadata: { label: 1 } } })).items.map(
            (item) => item.sourceReference.externalId,
          ),
        ),
      ),
  },
  {
    title: 'answer',
    method: 'POST',
    path: '/answer',
    ask: async (library, reader) => {
      const { answer, citations } = await library.client.get<{ answer: string | null; citations: RelatedItem[] }>(
        200,
        'POST',
        `${content}/answer`,
        { body: { query: library.word, ...withReader(reader) } },
      );
      expect(answer === null).toBe(citations.length === 0);
      return searched(
        library,
        { partly: 'always' },
        tally(citations.map((citation) => citation.sourceReference.externalId)),
      );
    },
  },
  {
    title: 'related',
    method: 'GET',
    path: '/assets/{assetId}/related',
    ask: async (library, reader) => {
      const target = library.files.find((file) => file.assetId !== null);
      const of = library.files.filter((file) => file !== target);
      const answer =
        target === undefined
          ? null
          : await library.client.ask<Related>(
              'GET',
              `${content}/assets/${target.assetId}/related?limit=50&${principalsQuery(reader)}`,
            );
      // A hidden file has no related files; those of a file in progress may be unknown for a moment.
      if (answer === null || answer.status === 404) return searched(library, { partly: 'always' }, new Map());
      return searched(
        library,
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
    ask: async (library, reader) =>
      single(library, principalsQuery(reader), '/related', () => reader !== undefined && reader.length > 0),
  },
  {
    title: 'activity, newest first',
    method: 'GET',
    path: '/activity',
    ask: (library, reader) => activity(library, reader, ''),
  },
  {
    title: 'activity, by file name',
    method: 'GET',
    path: '/activity',
    ask: (library, reader) => activity(library, reader, '&order=filename'),
  },
  {
    title: 'a single read',
    method: 'GET',
    path: '/assets/{assetId}',
    ask: (library, reader) => single(library, readerQuery(reader), '', () => true),
  },
  {
    title: 'a transcript',
    method: 'GET',
    path: '/assets/{assetId}/transcript',
    ask: (library, reader) => single(library, readerQuery(reader), '/transcript', () => true),
  },
  {
    title: 'passages',
    method: 'GET',
    path: '/assets/{assetId}/passages',
    ask: (library, reader) => single(library, readerQuery(reader), '/passages', () => true),
  },
  {
    title: 'playback',
    method: 'GET',
    path: '/assets/{assetId}/playback',
    ask: (library, reader) => single(library, readerQuery(reader), '/playback', () => true),
  },
  {
    title: 'a passage for a language model',
    method: 'POST',
    path: mcpPath,
    ask: async (library, reader) => {
      const of = library.files.filter((file) => file.assetId !== null);
      const read = await Promise.all(of.map((file) => readByTool(library, file, reader)));
      return searched(library, { of, partly: 'duringChanges' }, tally(read.flat()));
    },
  },
];

const isThere = ({ method, path }: Pick<Operation, 'method' | 'path'>): boolean =>
  path === mcpPath || routeTable.some((route) => route.method === method && route.path === `${content}${path}`);

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
