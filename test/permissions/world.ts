import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { SearchItem, SearchResponse } from '../../models/api.ts';
import { content } from '../api/support/client.ts';
import type { Step, TestFile } from './file.ts';
import { moment, type Moment } from './history.ts';
import { operations, type Operation, type Library, type Shown } from './operations.ts';
import { anyGrants, auditor, readerQuery, type Reader } from './readers.ts';

const perhaps = fc.option(anyGrants);

/** A random change of a file. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('register' as const), principals: perhaps }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('permit' as const), open: fc.boolean(), principals: anyGrants }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('contest' as const), principals: fc.tuple(anyGrants, anyGrants) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renew' as const), principals: perhaps }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'reindex' }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('label' as const), label: fc.nat({ max: 2 }) }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'remove' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'wait' }) },
);

/** Whether files change during the request. */
type When = 'duringChanges' | 'atRest';

/** The faults of a response, given what was possible between the two moments. */
function faultsOf(
  { files, of, needs, partly, counts, label }: Shown,
  reader: Reader,
  start: Moment,
  end: Moment,
  when: When,
): string[] {
  const isWhole = partly === 'never' || (partly === 'duringChanges' && when === 'atRest');
  const known = new Map(of.map((file) => [file.externalId, file]));
  const unknown = [...files.keys()]
    .filter((externalId) => !known.has(externalId))
    .map((externalId) => `${externalId} was not requested`);
  return [
    ...unknown,
    ...of.flatMap((file) => {
      const verdict = file.seen(reader, start, end, needs, label);
      const count = files.get(file.externalId) ?? 0;
      const whole = counts === 'files' ? 1 : file.passages;
      if (verdict === 'no' && count > 0) return [`${file.externalId} is shown and must not be`];
      if (count > whole) return [`${file.externalId} is shown ${count} times and has ${whole}`];
      if (verdict === 'yes' && isWhole && count < whole)
        return [`${file.externalId} is shown ${count} times and must be ${whole} times`];
      return [];
    }),
  ];
}

/** Replaces fields that differ between equal requests. */
function comparable({ searchId: _id, ...rest }: SearchResponse): object {
  return rest;
}

const shelf = 'shelf';
const isShelved = (files: readonly TestFile[], file: TestFile): boolean => files.indexOf(file) % 2 === 0;

/** An organization with its files, their changes, and the checks of its readers. */
export class World {
  readonly library: Library;
  /** Number of responses checked during changes and at rest. */
  readonly checked = { duringChanges: 0, atRest: 0 };
  private readonly given = new Set<string>();

  constructor(library: Library) {
    this.library = library;
  }

  /** Calls one operation and checks the response. */
  private async judge(operation: Operation, reader: Reader, when: When): Promise<void> {
    const start = moment();
    const shown = await operation.ask(this.library, reader);
    const faults = faultsOf(shown, reader, start, moment(), when);
    this.checked[when] += 1;
    if (faults.length > 0)
      throw new Error(`${operation.title} of ${JSON.stringify(reader?.slice(-5))}, ${when}: ${faults.join('; ')}`);
  }

  /** Applies the changes of all files concurrently while readers send requests; then checks everything at rest. */
  async run(scripts: readonly (readonly Step[])[], readers: readonly Reader[]): Promise<void> {
    const inProgress = { steps: true };
    const changes = Promise.all(
      this.library.files.map(async (file, index) => {
        for (const step of scripts[index] ?? []) {
          await file.take(step);
          if (file.assetId !== null) this.given.add(file.assetId);
        }
      }),
    ).finally(() => {
      inProgress.steps = false;
    });
    const requests = [0, 1, 2].map(async (asker) => {
      for (let turn = asker; inProgress.steps; turn += 1)
        await this.judge(operations[(turn * 7) % operations.length]!, readers[turn % readers.length], 'duringChanges');
    });
    await Promise.all([changes, ...requests]);
    await Promise.all(this.library.files.map((file) => file.settled()));
    await this.tune();
    for (const reader of readers) await this.check(reader);
  }

  /** Pins every file to the query, and adds every second one to a collection. */
  private async tune(): Promise<void> {
    const { client, files, word } = this.library;
    const known = files.filter((file) => file.assetId !== null);
    await client.get(200, 'PUT', `${content}/tuning/pins`, {
      body: { query: word, assetIds: known.map((file) => file.assetId).reverse() },
    });
    await client.get(200, 'PUT', `${content}/collections/${shelf}`, { body: { name: shelf } });
    const add = known.filter((file) => isShelved(files, file)).map((file) => file.assetId);
    await client.get(200, 'PUT', `${content}/collections/${shelf}/assets`, { body: { add, remove: [] } });
  }

  /** Checks at rest: exactly the visible files, the counts, and the responses for hidden files. */
  private async check(reader: Reader): Promise<void> {
    for (const operation of operations) await this.judge(operation, reader, 'atRest');
    const now = moment();
    const visible = this.library.files.filter((file) => file.seen(reader, now, now, 'indexed') === 'yes');
    await this.checkCounts(reader, visible);
    await this.checkRefusals(reader);
  }

  private search(reader: Reader, more: object): Promise<SearchResponse> {
    return this.library.client.search({
      query: this.library.word,
      limit: 100,
      ...more,
      ...(reader === undefined ? {} : { principals: reader }),
    });
  }

  private async checkCounts(reader: Reader, visible: readonly TestFile[]): Promise<void> {
    const passages = visible.reduce((sum, file) => sum + file.passages, 0);
    const whole = await this.search(reader, {});
    // A pin moves the best passage of each found file, and adds none.
    expect(
      whole.items
        .filter(({ pinned }) => pinned)
        .map(({ assetId }) => assetId)
        .sort(),
    ).toEqual(visible.map((file) => file.assetId).sort());
    const shelved = await this.search(reader, { group: 'file', filter: { collections: [shelf] } });
    expect(shelved.items.map(({ assetId }) => assetId).sort()).toEqual(
      visible
        .filter((file) => isShelved(this.library.files, file))
        .map((file) => file.assetId)
        .sort(),
    );
    // An answer uses the results of a search that are relevant enough.
    const good = whole.items.filter(({ confidence }) => confidence !== 'low');
    const { citations } = await this.library.client.get<{ citations: unknown[] }>(200, 'POST', `${content}/answer`, {
      body: { query: this.library.word, ...(reader === undefined ? {} : { principals: reader }) },
    });
    expect(citations).toHaveLength(Math.min(12, good.length));
    for (const { assetId } of whole.items) expect(this.given.has(assetId) || this.isPlaced(assetId)).toBe(true);
    expect({ found: whole.items.length, weak: whole.withheldAsWeak, more: whole.hasMore }).toEqual({
      found: passages,
      weak: 0,
      more: false,
    });
    // With unknown words, the same passages are weak: only visible ones are counted.
    const weak = await this.search(reader, {
      query: `${this.library.word} obsidian zeppelin marmalade harpsichord vestibule`,
    });
    expect(weak.items.length + weak.withheldAsWeak).toBe(passages);
    for (const group of [{}, { group: 'file' }]) {
      const count = 'group' in group ? visible.length : passages;
      const first = await this.search(reader, { limit: 1, ...group });
      expect({ found: first.items.length, more: first.hasMore }).toEqual({
        found: Math.min(1, count),
        more: count > 1,
      });
      const last = await this.search(reader, { limit: 1, offset: Math.max(0, count - 1), ...group });
      expect({ found: last.items.length, more: last.hasMore }).toEqual({ found: Math.min(1, count), more: false });
    }
    if (!visible.every((file) => file.isAudited()) || visible.length === 0) return;
    await this.checkNarrowed(reader, visible);
  }

  /**
   * A reader of more files who restricts the search to these files gets exactly the same response. The word statistics
   * of the library affect both, and a removal that just ended may change them between the requests: then both are
   * repeated.
   */
  private async checkNarrowed(reader: Reader, visible: readonly TestFile[]): Promise<void> {
    const sorted = (items: readonly SearchItem[]): SearchItem[] =>
      items.toSorted((one, other) =>
        `${one.assetId}${JSON.stringify(one.location)}` < `${other.assetId}${JSON.stringify(other.location)}` ? -1 : 1,
      );
    for (let tries = 1; ; tries += 1) {
      const [before, narrowed, after] = [
        await this.search(reader, {}),
        await this.search([auditor], { filter: { assetIds: visible.map((file) => file.assetId) } }),
        await this.search(reader, {}),
      ];
      const [first, second, third] = [before, narrowed, after].map((response) =>
        comparable({ ...response, items: sorted(response.items) }),
      );
      const moved = JSON.stringify(first) !== JSON.stringify(third);
      if (moved && tries < 20) continue;
      expect(second).toEqual(first);
      return;
    }
  }

  private isPlaced(assetId: string): boolean {
    return this.library.files.some((file) => file.recording && file.assetId === assetId);
  }

  /** Hidden and unknown files have the same error responses. */
  private async checkRefusals(reader: Reader): Promise<void> {
    const now = moment();
    const hidden = this.library.files.find(
      (file) => file.assetId !== null && file.seen(reader, now, now, 'registered') === 'no',
    );
    if (hidden === undefined) return;
    const refusalOf = async (assetId: string, path: string): Promise<object> => {
      const {
        status,
        headers,
        body: { requestId: _id, ...body },
      } = await this.library.client.ask('GET', `${content}/assets/${assetId}${path}?${readerQuery(reader)}`);
      return { status, body, headers: [...headers.keys()].sort() };
    };
    for (const path of ['', '/transcript'])
      expect(await refusalOf(hidden.assetId!, path)).toEqual(await refusalOf(randomUUID(), path));
  }
}
