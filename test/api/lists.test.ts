import { setTimeout as pause } from 'node:timers/promises';
import type { AssetView } from '../../models/api.ts';
import { content, expectRefused, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

interface Activity {
  items: AssetView[];
  nextCursor?: string | null;
}

let program: TestProgram;
/** Ids by filename. */
const ids = new Map<string, string>();
const names = ['zebra.txt', 'Apple.txt', 'apple.txt', 'mango 100%.md', 'mango_1.md', 'ähre.txt', 'Zoo.txt'];

beforeAll(async () => {
  program = await startTestProgram();
  for (const [index, filename] of names.entries()) {
    const principals = index === 1 ? { principals: ['team', 'other'] } : index === 2 ? { principals: ['team'] } : {};
    const version = filename === 'Zoo.txt' ? { sourceVersion: '"another"' } : {};
    const { assetId, jobId } = await program.standard.register({
      filename,
      ...program.source.put(`file-${index}.txt`, `words ${index}`),
      ...principals,
      ...version,
    });
    ids.set(filename, assetId);
    await program.standard.reaches(jobId, filename === 'Zoo.txt' ? 'failed' : 'ready');
    await pause(3);
  }
});
afterAll(() => program.end());

function activity(query = ''): Promise<Activity> {
  return program.standard.get(200, 'GET', `${content}/activity${query}`);
}

async function namesOf(query = ''): Promise<string[]> {
  return (await activity(query)).items.map((item) => item.filename);
}

function assets(query = ''): Promise<{ items: AssetView[]; total: number; limit: number; offset: number }> {
  return program.standard.get(200, 'GET', `${content}/assets${query}`);
}

const newestFirst = [...names].reverse();

describe('GET /assets', () => {
  it('returns a page, newest first, with the total', async () => {
    const { items, ...page } = await assets();
    expect(page).toEqual({ total: names.length, limit: 20, offset: 0 });
    expect(items.map(({ filename }) => filename)).toEqual(newestFirst);
    expect(items[0]).not.toHaveProperty('warnings');
    const { warnings, ...single } = await program.standard.asset(items[0]!.assetId);
    expect(items[0]).toEqual(single);
    expect(warnings).toEqual([]);
  });

  it('pages by limit and offset', async () => {
    const pages = await Promise.all([0, 3, 6, 9].map((offset) => assets(`?limit=3&offset=${offset}`)));
    expect(pages.flatMap(({ items }) => items.map(({ filename }) => filename))).toEqual(newestFirst);
    expect(pages.map(({ items, total, limit, offset }) => [items.length, total, limit, offset])).toEqual([
      [3, 7, 3, 0],
      [3, 7, 3, 3],
      [1, 7, 3, 6],
      [0, 7, 3, 9],
    ]);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'limit=', 'limit=1&limit=2'])(
    'refuses %s',
    async (query) => {
      expectRefused(await program.standard.ask('GET', `${content}/assets?${query}`), [
        422,
        'validation_error',
        ['query', 'limit'],
      ]);
    },
  );

  it('refuses a negative offset, accepts a large one, ignores unknown parameters', async () => {
    expectRefused(await program.standard.ask('GET', `${content}/assets?offset=-1`), [
      422,
      'validation_error',
      ['query', 'offset'],
    ]);
    expect((await assets('?offset=1000000&colour=red')).items).toEqual([]);
  });
});

describe('GET /activity', () => {
  it('lists assets with their latest job, newest first', async () => {
    const answer = await activity();
    expect(Object.keys(answer)).toEqual(['items']);
    expect(answer.items.map(({ filename }) => filename)).toEqual(newestFirst);
    expect(Object.keys(answer.items[0]!.latestJob).sort()).toEqual([
      'attempt',
      'errorCode',
      'jobId',
      'progress',
      'stage',
      'state',
      'updatedAt',
    ]);
  });

  it.each<[string, string[]]>([
    ['?limit=2&offset=1', newestFirst.slice(1, 3)],
    ['?kind=video', []],
    ['?kind=document', newestFirst],
    ['?state=failed', ['Zoo.txt']],
    ['?state=ready&q=apple', ['apple.txt', 'Apple.txt']],
    ['?state=fail', []],
    ['?q=ZOO', ['Zoo.txt']],
    ['?q=%25', ['mango 100%.md']],
    ['?q=_', ['mango_1.md']],
    ['?q=.', newestFirst],
    ['?q=*', []],
    ['?q=o%201', ['mango 100%.md']],
    ['?q=o+1', ['mango 100%.md']],
    [`?q=${encodeURIComponent('ähr')}`, ['ähre.txt']],
    ['?connectorId=00000000-0000-4000-8000-000000000000', []],
    ['?bucketId=00000000-0000-4000-8000-000000000000', []],
  ])('filters by %s', async (query, expected) => {
    expect(await namesOf(query)).toEqual(expected);
  });

  it('includes createdAfter and excludes createdBefore', async () => {
    const { createdAt } = await program.standard.asset(ids.get('apple.txt')!);
    expect(await namesOf(`?createdAfter=${createdAt}`)).toEqual(newestFirst.slice(0, 5));
    expect(await namesOf(`?createdBefore=${createdAt}`)).toEqual(newestFirst.slice(5));
    expect(await namesOf(`?createdAfter=${createdAt}&createdBefore=${createdAt}`)).toEqual([]);
    const east = `${new Date(Date.parse(createdAt) + 2 * 3_600_000).toISOString().slice(0, -1)}+02:00`;
    expect(await namesOf(`?createdAfter=${encodeURIComponent(east)}`)).toEqual(newestFirst.slice(0, 5));
  });

  it('sorts by filename and pages by cursor, with each file once', async () => {
    const seen: string[] = [];
    let cursor = '';
    let pages = 0;
    do {
      const page: Activity = await activity(`?order=filename&limit=2${cursor}`);
      seen.push(...page.items.map(({ filename }) => filename));
      cursor = typeof page.nextCursor === 'string' ? `&cursor=${encodeURIComponent(page.nextCursor)}` : '';
      pages += 1;
    } while (cursor !== '');
    expect(pages).toBe(4);
    expect([...seen].sort()).toEqual([...names].sort());
    expect(seen).toEqual(await namesOf('?order=filename'));
    expect(await namesOf('?order=filename&limit=2&offset=2')).toEqual(seen.slice(2, 4));
  });

  it('has no cursor on the last page or when sorted by creation', async () => {
    expect((await activity('?order=filename&limit=7')).nextCursor ?? null).toBeNull();
    expect(typeof (await activity('?order=filename&limit=6')).nextCursor).toBe('string');
    expect(await activity('?order=created&limit=2')).not.toHaveProperty('nextCursor');
  });

  it('lists what the reader may see', async () => {
    expect(await namesOf('?asReader=true')).toEqual(newestFirst.filter((name) => !/^apple/i.test(name)));
    expect(await namesOf('?principals=team')).toEqual(newestFirst);
    expect(await namesOf('?principals=other')).toEqual(newestFirst.filter((name) => name !== 'apple.txt'));
    expect(await namesOf('?principals=nobody&principals=other&q=apple')).toEqual(['Apple.txt']);
    expect(await namesOf('?asReader=false')).toEqual(newestFirst);
  });

  it.each<[string, Expected]>([
    ['limit=101', [422, 'validation_error', ['query', 'limit']]],
    ['connectorId=x', [422, 'validation_error', ['query', 'connectorId']]],
    ['bucketId=1', [422, 'validation_error', ['query', 'bucketId']]],
    ['kind=picture', [422, 'validation_error', ['query', 'kind']]],
    [`state=${'x'.repeat(41)}`, [422, 'validation_error', ['query', 'state']]],
    [`q=${'x'.repeat(201)}`, [422, 'validation_error', ['query', 'q']]],
    ['createdAfter=yesterday', [422, 'validation_error', ['query', 'createdAfter']]],
    ['createdBefore=2024-02-30T00:00:00Z', [422, 'validation_error', ['query', 'createdBefore']]],
    ['createdAfter=2024-01-01T00:00:00+02:00', [422, 'validation_error', ['query', 'createdAfter']]],
    ['order=size', [422, 'validation_error', ['query', 'order']]],
    ['cursor=', [422, 'validation_error', ['query', 'cursor']]],
    [`cursor=${'x'.repeat(4401)}`, [422, 'validation_error', ['query', 'cursor']]],
    ['order=filename&cursor=nonsense', [422, 'validation_error', ['query', 'cursor']]],
    ['cursor=nonsense', [422, 'validation_error', ['query', 'cursor']]],
    ['order=created&cursor=nonsense', [422, 'validation_error', ['query', 'cursor']]],
    ['asReader=yes', [422, 'validation_error', ['query', 'asReader']]],
    ['principals=', [422, 'validation_error', ['query', 'principals', 0]]],
    ['q=%FF', [422, 'validation_error', ['query', 'q']]],
  ])('%s is refused', async (query, expected) => {
    expectRefused(await program.standard.ask('GET', `${content}/activity?${query}`), expected);
  });
});

describe('GET /assets/{assetId} as a reader', () => {
  const read = (filename: string, query: string) =>
    program.standard.ask('GET', `${content}/assets/${ids.get(filename)}${query}`);

  it('returns permitted assets, and 404 for others', async () => {
    expect((await read('apple.txt', '')).status).toBe(200);
    expect((await read('zebra.txt', '?asReader=true')).status).toBe(200);
    expect((await read('apple.txt', '?principals=x&principals=team')).status).toBe(200);
    expectRefused(await read('apple.txt', '?asReader=true'), [404, 'asset_not_found']);
    expectRefused(await read('apple.txt', '?principals=other'), [404, 'asset_not_found']);
    expectRefused(await read('apple.txt', '?asReader=false&principals=other'), [404, 'asset_not_found']);
    expectRefused(await program.standard.ask('GET', `${content}/assets/x?asReader=maybe`), [
      422,
      'validation_error',
      ['path', 'assetId'],
    ]);
    expectRefused(await read('apple.txt', '?asReader=maybe'), [422, 'validation_error', ['query', 'asReader']]);
  });
});

describe('GET /assets/{assetId}/playback', () => {
  const play = (filename: string, query: string) =>
    program.standard.ask('GET', `${content}/assets/${ids.get(filename)}/playback${query}`);

  it('has no playback for files registered by address, and 404 for hidden ones', async () => {
    for (const query of ['', '?asReader=false', '?asReader=true&principals=team', '?principals=team'])
      expectRefused(await play('apple.txt', query), [409, 'asset_not_playable']);
    for (const query of ['?asReader=true', '?principals=other'])
      expectRefused(await play('apple.txt', query), [404, 'asset_not_found']);
    expectRefused(await program.standard.ask('GET', `${content}/assets/x/playback`), [
      422,
      'validation_error',
      ['path', 'assetId'],
    ]);
  });
});

it('ids are case-insensitive', async () => {
  const assetId = ids.get('zebra.txt')!;
  expect((await program.standard.asset(assetId.toUpperCase())).assetId).toBe(assetId);
});

describe('GET /capabilities', () => {
  it('lists formats and limits', async () => {
    const answer = await program.standard.get<{ formats: { kind: string; extensions: string[]; describes: string }[] }>(
      200,
      'GET',
      `${content}/capabilities`,
    );
    expect(answer).toEqual({
      formats: expect.any(Array),
      maxFileBytes: 20 * 2 ** 30,
      maxDocumentBytes: 512 * 2 ** 20,
      maxAudioSeconds: 43_200,
    });
    for (const format of answer.formats)
      expect(format).toEqual({
        kind: expect.stringMatching(/^(video|audio|document)$/),
        extensions: expect.any(Array),
        describes: expect.any(String),
      });
    const listed = (kind: string): string[] =>
      answer.formats
        .filter((format) => format.kind === kind)
        .flatMap(({ extensions }) => extensions)
        .sort();
    expect(listed('document')).toEqual([
      '.csv',
      '.docx',
      '.htm',
      '.html',
      '.md',
      '.pdf',
      '.txt',
      '.xhtml',
      '.xlsx',
      '.zip',
    ]);
    // Recordings are supported if this machine has the programs to read them.
    expect([[], ['.avi', '.mkv', '.mov', '.mp4', '.webm']]).toContainEqual(listed('video'));
    expect([[], ['.aac', '.flac', '.m4a', '.mp3', '.ogg', '.wav']]).toContainEqual(listed('audio'));
  });
});
