import { readFileSync } from 'node:fs';
import type { Accepted } from '../../models/api.ts';
import { CallbackReceiver } from '../support/callback-receiver.ts';
import { SignedSource } from '../support/signed-source.ts';
import { content, expectRefused, registration, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const secret = 'a callback secret of söme 32 characters and more';
let program: TestProgram;
const source = new SignedSource();
const receiver = new CallbackReceiver(secret);
beforeAll(async () => {
  await Promise.all([source.start(), receiver.start()]);
  program = await startTestProgram();
  await configure({ callbackUrl: receiver.url, callbackSecret: secret });
});
afterAll(async () => {
  await program.end();
  await Promise.all([source.stop(), receiver.stop()]);
});

async function configure(settings: object): Promise<void> {
  await program.standard.get(200, 'PATCH', `${content}/settings`, { body: settings });
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();
const nameOf = (sourceUrl: string): string => new URL(sourceUrl).pathname.slice(1);

/** Responds with a signed address for each file. */
function answerSigned(): void {
  receiver.answerWith(({ sourceUrl }) => ({ body: { url: source.signed(nameOf(sourceUrl)), expiresAt: inAnHour() } }));
}
beforeEach(() => {
  answerSigned();
  source.held = Promise.resolve();
  source.breakAfter = Infinity;
});

function register(name: string, { externalId = name, body = `the words of ${name}` } = {}): Promise<Accepted> {
  return program.standard.register({
    externalId,
    filename: `${name}.txt`,
    ...source.put(`${name}.txt`, body),
    callbackKey: `key of ${name}`,
  });
}

/** A job that waits for its next attempt. */
async function retryScheduled(jobId: string): Promise<unknown> {
  const { state, errorCode, retryAt } = await until(
    () => program.standard.job(jobId),
    (job) => job.errorCode !== null || job.state === 'ready',
  );
  return { state, errorCode, isRetried: retryAt !== null || state !== 'retry_scheduled' };
}

describe('renewable access', () => {
  it('requests an address from the callback with a verified signature, and reads from it', async () => {
    const { assetId, jobId } = await register('renewed');
    await program.standard.reaches(jobId, 'ready');
    const asset = await program.standard.asset(assetId);
    expect(asset).toMatchObject({ sourceAccessMode: 'renewable', callbackKey: 'key of renewed' });
    const { sourceUrl, sourceVersion } = asset;
    expect(receiver.asked.filter(({ externalId }) => externalId === 'renewed')).toEqual([
      { organizationId: program.organizationId, externalId: 'renewed', sourceVersion, sourceUrl },
    ]);
    expect(receiver.rejected).toEqual([]);
    expect(source.of('renewed.txt').map(({ status }) => status)).toEqual([200]);
  });

  it('requests an address for each read, with a new nonce', async () => {
    const externalId = 'each read ü "quoted" \\ \u{1f600}';
    const { assetId, jobId } = await register('each', { externalId });
    await program.standard.reaches(jobId, 'ready');
    source.withdraw();
    const nonces = receiver.nonces.size;
    const again = await program.standard.get<Accepted>(202, 'POST', `${content}/assets/${assetId}/reindex`, {
      headers: { 'Idempotency-Key': 'each read' },
    });
    await program.standard.reaches(again.jobId, 'ready');
    expect({ asked: receiver.count(externalId), nonces: receiver.nonces.size }).toEqual({
      asked: 2,
      nonces: nonces + 1,
    });
    expect(receiver.rejected).toEqual([]);
  });

  it('accepts an address and a token', async () => {
    receiver.answerWith(({ sourceUrl }) => ({
      body: {
        url: sourceUrl,
        sasToken: `?${source.token(nameOf(sourceUrl))}`,
        expiresAt: '2999-12-31T23:59:59.1234567+02:00',
        more: 'is ignored',
      },
    }));
    const { jobId } = await register('token');
    expect(await program.standard.reaches(jobId, 'ready')).toMatchObject({ errorCode: null });
  });

  const long = 'x'.repeat(99_999);

  it.each([
    ['for an hour is used for all parts of a read', 3_600_000],
    ['for less than a minute is used once, and another is asked for in the middle of a read', 59_000],
  ])('an address that is valid %s', async (_, milliseconds) => {
    source.breakAfter = 40_000;
    receiver.answerWith(({ sourceUrl }) => ({
      body: { url: source.signed(nameOf(sourceUrl)), expiresAt: new Date(Date.now() + milliseconds).toISOString() },
    }));
    const name = `good-${milliseconds}`;
    const { jobId } = await register(name, { body: long });
    await program.standard.reaches(jobId, 'ready');
    const read = source.of(`${name}.txt`);
    expect(read.length).toBeGreaterThan(2);
    expect(read.map(({ status }) => status)).toEqual(read.map((_part, at) => (at === 0 ? 200 : 206)));
    const asked = milliseconds > 60_000 ? 1 : read.length;
    expect({ asked: receiver.count(name), addresses: new Set(read.map(({ query }) => query)).size }).toEqual({
      asked,
      addresses: asked,
    });
  });

  it('an address that is revoked during a read is requested again', async () => {
    source.breakAfter = 40_000;
    source.served = () => {
      source.served = () => undefined;
      source.withdraw();
    };
    const { jobId } = await register('withdrawn', { body: long });
    await program.standard.reaches(jobId, 'ready');
    expect(
      source
        .of('withdrawn.txt')
        .map(({ status }) => status)
        .slice(0, 4),
    ).toEqual([200, 403, 206, 206]);
    expect(receiver.count('withdrawn')).toBe(2);
  });

  it.each<[string, string, Parameters<CallbackReceiver['answerWith']>[0]]>([
    ['an error', 'source_callback_refused', () => ({ status: 500 })],
    ['a refusal', 'source_callback_refused', () => ({ status: 404 })],
    [
      'another status of success',
      'source_callback_refused',
      ({ sourceUrl }) => ({ status: 201, body: { url: source.signed(nameOf(sourceUrl)), expiresAt: inAnHour() } }),
    ],
    [
      'a redirect',
      'source_callback_refused',
      () => ({ status: 307, headers: { Location: `${receiver.url}/elsewhere` } }),
    ],
    [
      'more than 64 KB',
      'source_callback_refused',
      ({ sourceUrl }) => ({
        body: { url: source.signed(nameOf(sourceUrl)), expiresAt: inAnHour(), more: 'x'.repeat(65_536) },
      }),
    ],
    ['no JSON', 'source_callback_refused', ({ sourceUrl }) => ({ body: source.signed(nameOf(sourceUrl)) })],
    ['nothing', 'source_callback_refused', () => ({ body: '' })],
    ['no url', 'source_callback_refused', () => ({ body: { expiresAt: inAnHour() } })],
    [
      'no expiresAt',
      'source_callback_refused',
      ({ sourceUrl }) => ({ body: { url: source.signed(nameOf(sourceUrl)) } }),
    ],
    [
      'a malformed expiresAt',
      'source_callback_refused',
      ({ sourceUrl }) => ({ body: { url: source.signed(nameOf(sourceUrl)), expiresAt: 'tomorrow' } }),
    ],
    [
      'an address that has expired',
      'source_callback_refused',
      ({ sourceUrl }) => ({ body: { url: source.signed(nameOf(sourceUrl)), expiresAt: '2020-01-01T00:00:00Z' } }),
    ],
    [
      'the address of another file',
      'source_access_mismatch',
      () => ({ body: { url: source.signed('other.txt'), expiresAt: inAnHour() } }),
    ],
    [
      'an address of another host',
      'source_access_mismatch',
      () => ({ body: { url: 'https://files.example.com/a.txt?sig=1', expiresAt: inAnHour() } }),
    ],
    [
      'user information',
      'source_access_mismatch',
      ({ sourceUrl }) => ({ body: { url: sourceUrl.replace('//', '//u:p@'), expiresAt: inAnHour() } }),
    ],
    ['no address', 'source_access_mismatch', () => ({ body: { url: 'here', expiresAt: inAnHour() } })],
    [
      'both credentials',
      'ambiguous_source_credentials',
      ({ sourceUrl }) => ({
        body: {
          url: source.signed(nameOf(sourceUrl)),
          sasToken: source.token(nameOf(sourceUrl)),
          expiresAt: inAnHour(),
        },
      }),
    ],
  ])('retries the job if the callback responds with %s, until it succeeds', async (title, code, answering) => {
    const name = title.replaceAll(/\W/g, '-');
    let isValid = false;
    receiver.answerWith((file) =>
      isValid ? { body: { url: source.signed(nameOf(file.sourceUrl)), expiresAt: inAnHour() } } : answering(file),
    );
    const { jobId } = await register(name);
    expect(await retryScheduled(jobId)).toEqual({
      state: expect.stringMatching(/^(retry_scheduled|queued|extracting)$/),
      errorCode: code,
      isRetried: true,
    });
    expect(source.of(`${name}.txt`)).toEqual([]);
    isValid = true;
    expect(await program.standard.reaches(jobId, 'ready')).toMatchObject({ errorCode: null });
    expect(receiver.count(name)).toBeGreaterThan(1);
    expect(source.of(`${name}.txt`)).toHaveLength(1);
  });

  it('that is refused eight times fails its job', async () => {
    receiver.answerWith(() => ({ status: 503 }));
    const { jobId } = await register('never');
    expect(await program.standard.reaches(jobId, 'failed')).toMatchObject({
      errorCode: 'source_callback_refused',
      attempt: 8,
    });
    expect(receiver.count('never')).toBe(8);
  });
});

describe('a new address that the source denies', () => {
  it('pauses the job; a given address is the fallback after the callback', async () => {
    receiver.answerWith(({ sourceUrl }) => ({ body: { url: `${sourceUrl}?sig=wrong`, expiresAt: inAnHour() } }));
    const { assetId, jobId } = await register('denied');
    expect(await program.standard.reaches(jobId, 'awaiting_source_access')).toMatchObject({
      errorCode: 'source_access_denied',
    });
    expect(
      await program.standard.get(202, 'PUT', `${content}/assets/${assetId}/source-access`, {
        body: { url: source.signed('denied.txt') },
      }),
    ).toEqual({ assetId, resumedJobs: [jobId] });
    await program.standard.reaches(jobId, 'ready');
    expect(receiver.count('denied')).toBe(2);
    expect(source.of('denied.txt').map(({ status }) => status)).toEqual([403, 403, 200]);
    expect(await program.standard.asset(assetId)).toMatchObject({ sourceAccessMode: 'renewable' });
  });
});

describe('without a callback', () => {
  afterEach(() => configure({ callbackUrl: receiver.url, callbackSecret: secret }));

  it.each(['callbackUrl', 'callbackSecret'])('a callbackKey is refused without a %s', async (field) => {
    await configure({ [field]: null });
    expectRefused(
      await program.standard.ask('POST', `${content}/assets`, {
        body: registration({ ...source.put('none.txt', 'x'), callbackKey: 'k' }),
      }),
      [400, 'callback_not_configured'],
    );
  });

  it('a file with a callbackKey waits until a callback is set and access is given', async () => {
    const { assetId, jobId } = await register('orphan');
    await program.standard.reaches(jobId, 'ready');
    await configure({ callbackUrl: null });
    const again = await program.standard.get<Accepted>(202, 'POST', `${content}/assets/${assetId}/reindex`, {
      headers: { 'Idempotency-Key': 'orphan' },
    });
    expect(await program.standard.reaches(again.jobId, 'awaiting_source_access')).toMatchObject({
      errorCode: 'callback_not_configured',
    });
    await configure({ callbackUrl: receiver.url });
    expect(
      await program.standard.get(202, 'PUT', `${content}/assets/${assetId}/source-access`, {
        body: { url: `${source.url}/orphan.txt` },
      }),
    ).toEqual({ assetId, resumedJobs: [again.jobId] });
    await program.standard.reaches(again.jobId, 'ready');
    expect(receiver.count('orphan')).toBe(2);
  });

  it('a given address is used', async () => {
    const { assetId, jobId } = await register('given');
    await program.standard.reaches(jobId, 'ready');
    await program.standard.get(202, 'PUT', `${content}/assets/${assetId}/source-access`, {
      body: { url: source.signed('given.txt') },
    });
    await configure({ callbackUrl: null });
    const again = await program.standard.get<Accepted>(202, 'POST', `${content}/assets/${assetId}/reindex`, {
      headers: { 'Idempotency-Key': 'given' },
    });
    await program.standard.reaches(again.jobId, 'ready');
    expect(receiver.count('given')).toBe(1);
  });

  it("a sub-organization uses its parent's callback with its own id", async () => {
    const { id } = await program.admin.createOrganization('inherits');
    const branch = program.standard.as(id);
    const { jobId } = await branch.register({
      externalId: 'inherited',
      filename: 'inherited.txt',
      ...source.put('inherited.txt', 'x'),
      callbackKey: 'k',
    });
    await branch.reaches(jobId, 'ready');
    expect(receiver.asked.find(({ externalId }) => externalId === 'inherited')?.organizationId).toBe(id);
  });
});

it('a registration is refused if the request would exceed 16 KB', async () => {
  const long = {
    externalId: '\u0001'.repeat(512),
    sourceVersion: '\u0001'.repeat(512),
    sourceUrl: `${source.url}/${'語'.repeat(4000)}.txt`,
  };
  expectRefused(
    await program.standard.ask('POST', `${content}/assets`, { body: registration({ ...long, callbackKey: 'k' }) }),
    [422, 'validation_error', ['body', 'sourceUrl']],
  );
  expect((await program.standard.ask('POST', `${content}/assets`, { body: registration(long) })).status).toBe(202);
});

it('a process that dies between callback and source requests again, and logs no secrets', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  source.held = promise;
  const { jobId } = await register('crash');
  await until(
    () => Promise.resolve(receiver.count('crash')),
    (count) => count === 1,
  );
  await program.process.kill();
  resolve();
  await program.start();
  await program.standard.reaches(jobId, 'ready');
  expect(receiver.count('crash')).toBe(2);
  expect(receiver.rejected).toEqual([]);
  const log = readFileSync(program.logFile, 'utf8');
  expect(log).toContain('source_callback_refused');
  for (const hidden of ['sig=', 'sig%3D', secret, ...receiver.nonces.keys()]) expect(log.includes(hidden)).toBe(false);
});
