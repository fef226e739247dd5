import type { AnswerBody, Connection } from './connection.ts';
import type { Item } from './items.ts';
import { ProgressBar } from './progress.ts';
import { emptyTally, leftovers, waitForJobs } from './registration.ts';

/** An API with these assets: by external id the state of its job and the error code. Pages have one asset. */
function apiWith(assets: Record<string, [state: string, errorCode: string | null]>): Connection {
  return {
    apiUrl: 'http://127.0.0.1:1',
    organizationId: 'organization',
    ask: (_method, path): Promise<AnswerBody> => {
      const url = new URL(path, 'http://127.0.0.1');
      const job = /^\/jobs\/job-(.*)$/.exec(url.pathname)?.[1];
      if (job !== undefined) {
        const [state, errorCode] = assets[job] ?? ['missing', null];
        return Promise.resolve({ state, errorCode });
      }
      const all = Object.entries(assets)
        .filter(([, [state]]) => state === url.searchParams.get('state'))
        .map(([externalId, [state, errorCode]]) => ({
          externalId,
          latestJob: { jobId: `job-${externalId}`, state, errorCode },
        }));
      const at = Number(url.searchParams.get('cursor') ?? 0);
      return Promise.resolve({ items: all.slice(at, at + 1), nextCursor: at + 1 < all.length ? String(at + 1) : null });
    },
  };
}

function item(externalId: string, path: string | null = `/${externalId}`): Item {
  return {
    name: path ?? externalId,
    path,
    asset: { externalId, filename: externalId, kind: 'document', sourceUrl: 'http://source', sourceVersion: '1' },
  };
}

describe('unchanged files that are not indexed', () => {
  it('are registered again if their source may be gone, else waited for', async () => {
    const connection = apiWith({
      queued: ['queued', null],
      'queued too': ['queued', null],
      extracting: ['extracting', null],
      embedding: ['embedding', null],
      'out of reach': ['failed', 'source_unreachable'],
      'of the file': ['failed', 'ocr_required'],
      cancelled: ['cancelled', null],
      retried: ['retry_scheduled', 'source_unreachable'],
      'queued address': ['queued', null],
      'failed address': ['failed', 'source_unreachable'],
      'of others': ['queued', null],
      ready: ['ready', null],
    });
    const names = ['queued', 'queued too', 'extracting', 'embedding', 'out of reach', 'of the file', 'cancelled'];
    const { again, pending } = await leftovers(connection, [
      ...[...names, 'retried', 'ready'].map((name) => item(name)),
      ...['queued address', 'failed address'].map((name) => item(name, null)),
    ]);
    expect(again.map(({ name }) => name)).toEqual([
      '/queued',
      '/queued too',
      '/extracting',
      '/out of reach',
      '/cancelled',
      '/retried',
    ]);
    expect([...pending].map(([jobId, { name }]) => [jobId, name])).toEqual([
      ['job-embedding', '/embedding'],
      ['job-queued address', 'queued address'],
    ]);
  });

  it('are counted when their jobs end', async () => {
    const states: Record<string, [string, string | null]> = { one: ['embedding', null], two: ['queued', null] };
    const tally = {
      ...emptyTally(),
      pending: new Map([
        ['job-one', '/one'],
        ['job-two', 'two'],
      ]),
    };
    setTimeout(() => Object.assign(states, { one: ['ready', null], two: ['failed', 'document_empty'] }), 300);
    const bar = new ProgressBar(process.stderr);
    const ended = await waitForJobs(apiWith(states), tally, bar, new AbortController().signal);
    expect([...ended].sort()).toEqual([
      ['document_empty', ['two']],
      ['ready', ['/one']],
    ]);
    expect(tally.pending.size).toBe(0);
  });
});
