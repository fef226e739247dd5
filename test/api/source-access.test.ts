import { setTimeout as pause } from 'node:timers/promises';
import type { Accepted } from '../../models/api.ts';
import { SignedSource } from '../support/signed-source.ts';
import { content, expectRefused, until, type Answer, type ErrorBody, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
const source = new SignedSource();
beforeAll(async () => {
  await source.start();
  program = await startTestProgram();
});
afterAll(async () => {
  await program.end();
  await source.stop();
});

type Given = { assetId: string; resumedJobs: string[] };

function give(assetId: string, body: unknown): Promise<Answer<ErrorBody>> {
  return program.standard.ask('PUT', `${content}/assets/${assetId}/source-access`, { body });
}

function given(assetId: string, body: unknown): Promise<Given> {
  return program.standard.get(202, 'PUT', `${content}/assets/${assetId}/source-access`, { body });
}

/** Registers a file that requires a signature, and waits until its job waits for access. */
async function waiting(
  name: string,
  access?: { url: string; sasToken?: string },
): Promise<Accepted & { sourceUrl: string }> {
  const reference = source.put(name, `the words of ${name}`);
  const accepted = await program.standard.register({
    filename: name,
    ...reference,
    ...(access === undefined ? {} : { sourceAccess: access }),
  });
  expect(await program.standard.reaches(accepted.jobId, 'awaiting_source_access')).toMatchObject({
    errorCode: 'source_access_denied',
    retryAt: null,
    stage: 'extracting',
  });
  return { ...accepted, sourceUrl: reference.sourceUrl };
}

describe('stored access', () => {
  it.each([
    ['a signed address', (name: string) => ({ url: source.signed(name) })],
    ['a token beside the address', (name: string) => ({ url: `${source.url}/${name}`, sasToken: source.token(name) })],
    [
      'a token with its question mark',
      (name: string) => ({ url: `${source.url}/${name}`, sasToken: `?${source.token(name)}` }),
    ],
  ])('reads with %s, shows neither, and is kept for the next read', async (title, accessOf) => {
    const name = `${title.replaceAll(/\W/g, '-')}.txt`;
    const reference = source.put(name, 'stored words');
    const { assetId } = await program.standard.indexed({ filename: name, ...reference, sourceAccess: accessOf(name) });
    const asset = await program.standard.asset(assetId);
    expect(asset).toMatchObject({ sourceAccessMode: 'stored', sourceUrl: reference.sourceUrl, state: 'ready' });
    expect(JSON.stringify(asset)).not.toContain('sig=');
    const again = await program.standard.get<Accepted>(202, 'POST', `${content}/assets/${assetId}/reindex`, {
      headers: { 'Idempotency-Key': name },
    });
    await program.standard.reaches(again.jobId, 'ready');
    expect(source.of(name).map(({ status }) => status)).toEqual([200, 200]);
  });

  it('that has expired pauses the job, and a new address resumes it', async () => {
    const name = 'expired.txt';
    const { assetId, jobId } = await waiting(name, { url: source.signed(name, -1000) });
    expect(await program.standard.asset(assetId)).toMatchObject({
      state: 'awaiting_source_access',
      revisionState: 'awaiting_source_access',
      sourceAccessMode: 'stored',
    });
    expect(await given(assetId, { url: source.signed(name) })).toEqual({ assetId, resumedJobs: [jobId] });
    expect(await program.standard.reaches(jobId, 'ready')).toMatchObject({ errorCode: null, retryAt: null });
    expect((await program.standard.search({ query: name })).items.map((item) => item.assetId)).toContain(assetId);
  });

  it('includes any address whose query differs from the registered one', async () => {
    const reference = program.source.put('ticket.txt', 'ticketed words');
    const { assetId } = await program.standard.indexed({
      ...reference,
      sourceAccess: { url: `${reference.sourceUrl}?ticket=geheim` },
    });
    expect(program.source.targets).toContain('/ticket.txt?ticket=geheim');
    expect(await program.standard.asset(assetId)).toMatchObject({ sourceAccessMode: 'stored' });
  });

  it('does not include the registered address', async () => {
    const reference = program.source.put('public.txt', 'public words');
    const { assetId } = await program.standard.indexed({ ...reference, sourceAccess: { url: reference.sourceUrl } });
    expect(await program.standard.asset(assetId)).toMatchObject({ sourceAccessMode: null });
  });
});

describe('PUT source-access', () => {
  it('accepts a token next to the address, also for a file registered without access', async () => {
    const { assetId, jobId, sourceUrl } = await waiting('bare.txt');
    expect(await program.standard.asset(assetId)).toMatchObject({ sourceAccessMode: null });
    expect(await given(assetId, { url: sourceUrl, sasToken: source.token('bare.txt') })).toEqual({
      assetId,
      resumedJobs: [jobId],
    });
    await program.standard.reaches(jobId, 'ready');
    expect(await program.standard.asset(assetId)).toMatchObject({ sourceAccessMode: 'stored' });
  });

  it('can be repeated after an address that does not work', async () => {
    const { assetId, jobId } = await waiting('again.txt');
    expect((await given(assetId, { url: source.signed('again.txt', -1) })).resumedJobs).toEqual([jobId]);
    await until(
      () => program.standard.job(jobId),
      ({ state }) => state === 'awaiting_source_access',
    );
    expect(await program.standard.job(jobId)).toMatchObject({ attempt: 1 });
    expect((await given(assetId, { url: source.signed('again.txt') })).resumedJobs).toEqual([jobId]);
    await program.standard.reaches(jobId, 'ready');
  });

  it('applies to the next read if no job waits', async () => {
    const name = 'later.txt';
    const { assetId } = await program.standard.indexed({
      filename: name,
      ...source.put(name, 'later words'),
      sourceAccess: { url: source.signed(name) },
    });
    const fresh = source.signed(name, 7_200_000);
    expect(await given(assetId, { url: fresh })).toEqual({ assetId, resumedJobs: [] });
    const { jobId } = await program.standard.get<Accepted>(202, 'POST', `${content}/assets/${assetId}/reindex`, {
      headers: { 'Idempotency-Key': name },
    });
    await program.standard.reaches(jobId, 'ready');
    expect(source.of(name).at(-1)?.query).toBe(new URL(fresh).search);
  });

  it('accepts a public address', async () => {
    const reference = program.source.put('opened.txt', 'opened words', { status: 403 });
    const { assetId, jobId } = await program.standard.register(reference);
    await program.standard.reaches(jobId, 'awaiting_source_access');
    program.source.change('opened.txt', { status: 200 });
    expect(await given(assetId, { url: reference.sourceUrl })).toEqual({ assetId, resumedJobs: [jobId] });
    await program.standard.reaches(jobId, 'ready');
    expect(await program.standard.asset(assetId)).toMatchObject({ sourceAccessMode: null });
  });

  it('is not lost if the source denies the old address meanwhile', async () => {
    const name = 'meanwhile.txt';
    const { promise, resolve } = Promise.withResolvers<void>();
    source.held = promise;
    const { assetId, jobId } = await program.standard.register({
      filename: name,
      ...source.put(name, 'words meanwhile'),
      sourceAccess: { url: source.signed(name, -1) },
    });
    await until(
      () => program.standard.job(jobId),
      ({ state }) => state === 'extracting',
    );
    expect((await given(assetId, { url: source.signed(name) })).resumedJobs).toEqual([]);
    resolve();
    expect(await program.standard.reaches(jobId, 'ready')).toMatchObject({ errorCode: null });
  });

  it('does not resume a cancelled job', async () => {
    const { assetId, jobId } = await waiting('cancelled.txt');
    await program.standard.get(202, 'POST', `${content}/jobs/${jobId}/cancel`);
    expect(await given(assetId, { url: source.signed('cancelled.txt') })).toEqual({ assetId, resumedJobs: [] });
    expect(await program.standard.job(jobId)).toMatchObject({ state: 'cancelled' });
  });

  it.each<[string, (sourceUrl: string) => unknown, Expected]>([
    ['no body', () => undefined, [422, 'validation_error', ['body']]],
    ['no url', () => ({ sasToken: 'sig=1' }), [422, 'validation_error', ['body', 'url']]],
    ['a url that is none', () => ({ url: 'no address' }), [422, 'validation_error', ['body', 'url']]],
    ['an empty token', (url) => ({ url, sasToken: '' }), [422, 'validation_error', ['body', 'sasToken']]],
    [
      'a token that is a question mark',
      (url) => ({ url, sasToken: '?' }),
      [422, 'validation_error', ['body', 'sasToken']],
    ],
    ['a field that nobody knows', (url) => ({ url, key: 1 }), [422, 'validation_error', ['body', 'key']]],
    ['another path', (url) => ({ url: `${url}x?sig=1` }), [400, 'source_access_mismatch']],
    ['another port', () => ({ url: 'http://127.0.0.1:1/mismatch.txt?sig=1' }), [400, 'source_access_mismatch']],
    ['another scheme', (url) => ({ url: `${url.replace('http:', 'https:')}?sig=1` }), [400, 'source_access_mismatch']],
    ['user information', (url) => ({ url: url.replace('//', '//u:p@') }), [400, 'source_access_mismatch']],
    [
      'a signed url together with a token',
      (url) => ({ url: `${url}?sig=1`, sasToken: 'sig=2' }),
      [400, 'ambiguous_source_credentials'],
    ],
  ])('with %s is refused, and the job goes on waiting', async (title, bodyOf, expected) => {
    const { assetId, jobId, sourceUrl } = await waiting(`mismatch-${title.replaceAll(/\W/g, '-')}.txt`);
    expectRefused(await give(assetId, bodyOf(sourceUrl)), expected);
    expect(await program.standard.job(jobId)).toMatchObject({ state: 'awaiting_source_access' });
  });

  it('is refused for a host that is no longer allowed', async () => {
    const branch = program.standard.as((await program.admin.createOrganization('hosts')).id);
    const allow = async (sourceHosts: string[]): Promise<void> => {
      await branch.get(200, 'PATCH', `${content}/settings`, { body: { sourceHosts } });
      // In a cluster, a change applies everywhere within a second.
      await pause(1100);
    };
    const { assetId, jobId } = await branch.register({ filename: 'hosts.txt', ...source.put('hosts.txt', 'x') });
    await branch.reaches(jobId, 'awaiting_source_access');
    await allow(['files.example.com']);
    expectRefused(
      await branch.ask('PUT', `${content}/assets/${assetId}/source-access`, {
        body: { url: source.signed('hosts.txt') },
      }),
      [403, 'source_host_not_allowed'],
    );
    await allow(['127.0.0.1']);
    await branch.get(202, 'PUT', `${content}/assets/${assetId}/source-access`, {
      body: { url: source.signed('hosts.txt') },
    });
    await branch.reaches(jobId, 'ready');
  });

  it('is refused for an unknown or removed file, after the body is validated', async () => {
    const { assetId, sourceUrl } = await waiting('removed.txt');
    await program.standard.get(202, 'DELETE', `${content}/assets/${assetId}`);
    expectRefused(await give(assetId, { url: sourceUrl }), [404, 'asset_not_found']);
    expectRefused(await give(assetId, { url: sourceUrl, sasToken: '?' }), [
      422,
      'validation_error',
      ['body', 'sasToken'],
    ]);
    expectRefused(await give(assetId, { url: `${sourceUrl}?sig=1`, sasToken: 'sig=2' }), [
      400,
      'ambiguous_source_credentials',
    ]);
    expectRefused(await give('00000000-0000-4000-8000-000000000000', { url: sourceUrl }), [404, 'asset_not_found']);
    expectRefused(await give('no-uuid', { url: sourceUrl }), [422, 'validation_error', ['path', 'assetId']]);
  });
});
