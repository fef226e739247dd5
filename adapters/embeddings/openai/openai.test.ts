import { embeddingsConformance } from '../conformance.ts';
import { batchesOf } from './batches.ts';
import { openOpenAiEmbeddings } from './openai.ts';
import { EmbeddingsDouble, type Behaviour } from './test-server.ts';

const dimensions = 48;
/** Disables random delays. */
const runtime = { now: () => Date.now(), random: () => 0 };

async function openDouble(timeoutMs = 60_000, queryMs = 60_000, restMs = 0) {
  const double = new EmbeddingsDouble(dimensions);
  const url = await double.start();
  const embeddings = openOpenAiEmbeddings({
    url: `${url}/`,
    model: 'some-model',
    key: 'secret',
    dimensions,
    languages: ['en'],
    runtime,
    timeoutMs,
    queryMs,
    restMs,
  });
  return { double, embeddings, dispose: () => double.stop() };
}

embeddingsConformance('OpenAI-compatible server', () => openDouble());

describe('embeddings from an OpenAI-compatible server', () => {
  let opened: Awaited<ReturnType<typeof openDouble>>;
  beforeEach(async () => {
    opened = await openDouble();
  });
  afterEach(async () => {
    await opened.embeddings.close();
    await opened.dispose();
  });

  it('sends batches to its address, with model and token', async () => {
    const { double, embeddings } = opened;
    const texts = Array.from({ length: 130 }, (_, index) => `text ${index}`);
    await embeddings.embed(texts, 'passage');
    expect(double.seen.map((request) => request.texts.length)).toEqual([64, 64, 2]);
    expect(double.seen.flatMap((request) => request.texts)).toEqual(texts);
    expect(double.seen[0]).toMatchObject({
      path: '/v1/embeddings',
      authorization: 'Bearer secret',
      model: 'some-model',
    });
    expect(embeddings.model).toEqual({ id: 'server:some-model:48', dimensions, languages: ['en'] });
  });

  it.each<Behaviour['kind']>(['shuffled', 'no index'])(
    'may answer in any order, or in the order asked without saying so: %s',
    async (kind) => {
      const { double, embeddings } = opened;
      const straight = await embeddings.embed(['a', 'b', 'c'], 'passage');
      double.next.push({ kind } as Behaviour);
      expect(await embeddings.embed(['a', 'b', 'c'], 'passage')).toEqual(straight);
    },
  );

  it.each<Behaviour['kind']>([
    'wrong size',
    'missing item',
    'twice the same index',
    'not finite',
    'no json',
    'endless',
  ])('is not believed: %s', async (kind) => {
    const { double, embeddings } = opened;
    double.next.push({ kind } as Behaviour);
    await expect(embeddings.embed(['a', 'b'], 'passage')).rejects.toMatchObject({ name: 'ModelUnavailable' });
    expect(double.seen).toHaveLength(1);
  });

  it.each<Behaviour>([
    { kind: 'status', status: 429 },
    { kind: 'status', status: 503 },
    { kind: 'hang up' },
    { kind: 'hang' },
  ])('is asked again after a passing failure: %j', async (behaviour) => {
    if (behaviour.kind === 'hang') {
      await opened.dispose();
      // Long enough for a response on a busy machine.
      opened = await openDouble(1500);
    }
    const { double, embeddings } = opened;
    double.next.push(behaviour);
    expect(await embeddings.embed(['a'], 'query')).toHaveLength(1);
    expect(double.seen).toHaveLength(2);
  });

  it('waits as long as the Retry-After header requires', async () => {
    const { double, embeddings } = opened;
    double.next.push({ kind: 'status', status: 429, retryAfter: '1' });
    const before = performance.now();
    await embeddings.embed(['a'], 'passage');
    expect(performance.now() - before).toBeGreaterThan(950);
  });

  it('enforces the time limit of a query over all attempts', async () => {
    await opened.dispose();
    opened = await openDouble(60_000, 1500);
    const { double, embeddings } = opened;
    double.next.push({ kind: 'hang' });
    const before = performance.now();
    await expect(embeddings.embed(['a'], 'query')).rejects.toMatchObject({ name: 'ModelUnavailable' });
    // Far below the time limit of a request, one minute.
    expect(performance.now() - before).toBeLessThan(20_000);
    double.next.push({ kind: 'status', status: 429, retryAfter: '20' });
    await expect(embeddings.embed(['a'], 'query')).rejects.toMatchObject({
      name: 'ModelUnavailable',
      message: expect.stringContaining('429'),
    });
    expect(double.seen).toHaveLength(2);
  });

  it('sends no queries for a period after a failed one, but still sends passages', async () => {
    await opened.dispose();
    opened = await openDouble(60_000, 1500, 60_000);
    const { double, embeddings } = opened;
    double.next.push({ kind: 'hang' });
    await expect(embeddings.embed(['a'], 'query')).rejects.toMatchObject({
      name: 'ModelUnavailable',
      message: 'the embeddings server does not answer',
    });
    const again = embeddings.embed(['a'], 'query');
    await expect(again).rejects.toMatchObject({
      name: 'ModelUnavailable',
      message: 'the embeddings server does not answer; it is asked again in some seconds',
    });
    expect(double.seen).toHaveLength(1);
    // A successful passage or ping closes the circuit for queries too.
    await embeddings.embed(['a'], 'passage');
    expect(await embeddings.embed(['a'], 'query')).toHaveLength(1);
    expect(double.seen).toHaveLength(3);
  });

  it.each([400, 401, 404])('does not retry after status %d', async (status) => {
    const { double, embeddings } = opened;
    double.next.push({ kind: 'status', status });
    await expect(embeddings.embed(['a'], 'query')).rejects.toMatchObject({
      name: 'ModelUnavailable',
      message: expect.stringContaining(String(status)),
    });
    expect(double.seen).toHaveLength(1);
  });

  it('fails after the maximum number of attempts', async () => {
    const { double, embeddings } = opened;
    await embeddings.embed(['a'], 'query');
    double.next.push(...Array.from({ length: 9 }, (): Behaviour => ({ kind: 'status', status: 500 })));
    await embeddings.ping();
    await expect(embeddings.embed(['a'], 'query')).rejects.toMatchObject({ name: 'ModelUnavailable' });
    expect(double.seen).toHaveLength(4);
    // The last success was recent, but requests have failed since.
    await expect(embeddings.ping()).rejects.toMatchObject({ name: 'ModelUnavailable' });
  });

  it('aborts pending requests on close', async () => {
    const { double, embeddings } = opened;
    double.next.push({ kind: 'status', status: 429, retryAfter: '20' });
    const waiting = expect(embeddings.embed(['a'], 'passage')).rejects.toMatchObject({ name: 'ModelUnavailable' });
    while (double.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = performance.now();
    await embeddings.close();
    await waiting;
    // Far below the delay of twenty seconds.
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

describe('the batcher', () => {
  it('keeps the order and both limits, and truncates a text over the limit', () => {
    expect(batchesOf(['aa', 'bb', 'cc', 'd', 'e', 'f', 'gggggg😀'], { texts: 3, characters: 7 })).toEqual([
      ['aa', 'bb', 'cc'],
      ['d', 'e', 'f'],
      ['gggggg'],
    ]);
  });
});
