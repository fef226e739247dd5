import { content, expectRefused, registration, type Expected } from './support/client.ts';
import { UsedConnector } from './support/connectors.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({
    PLY_PRIVATE_NETWORKS: 'deny',
    PLY_ALLOWED_HOST_CEILING: '*.example.com,localhost',
  });
});
afterAll(() => program.end());

describe('with private networks denied', () => {
  it.each<[string, Expected]>([
    ['http://files.example.com/a.txt', [422, 'validation_error', ['body', 'sourceUrl']]],
    ['https://files.example.com:8443/a.txt', [422, 'validation_error', ['body', 'sourceUrl']]],
    ['https://127.0.0.1/a.txt', [403, 'source_host_not_allowed']],
    ['https://[::1]/a.txt', [403, 'source_host_not_allowed']],
    ['https://[::ffff:10.0.0.1]/a.txt', [403, 'source_host_not_allowed']],
    ['https://169.254.169.254/latest/meta-data/a.txt', [403, 'source_host_not_allowed']],
    ['https://2130706433/a.txt', [403, 'source_host_not_allowed']],
    ['https://0x7f.1/a.txt', [403, 'source_host_not_allowed']],
    ['https://192.168.0.1./a.txt', [403, 'source_host_not_allowed']],
    ['https://example.com/a.txt', [403, 'source_host_outside_ceiling']],
    ['https://files.example.com.evil.org/a.txt', [403, 'source_host_outside_ceiling']],
    ['https://notexample.com/a.txt', [403, 'source_host_outside_ceiling']],
  ])('%s is refused at registration', async (sourceUrl, expected) => {
    expectRefused(
      await program.standard.ask('POST', `${content}/assets`, {
        body: registration({ sourceUrl, sourceVersion: '"1"' }),
      }),
      expected,
    );
  });

  it('a host name with a private address fails the job', async () => {
    const { jobId } = await program.standard.register({ sourceUrl: 'https://localhost/a.txt', sourceVersion: '"1"' });
    expect(await program.standard.reaches(jobId, 'failed')).toMatchObject({
      errorCode: 'source_host_not_allowed',
      attempt: 1,
    });
  });

  it('a callback at a private address gets no request, and its job is retried', async () => {
    await program.standard.get(200, 'PATCH', `${content}/settings`, {
      body: { callbackUrl: 'https://localhost/access', callbackSecret: 'a secret of thirty-two characters' },
    });
    const { jobId } = await program.standard.register({
      sourceUrl: 'https://files.example.com/a.txt',
      sourceVersion: '"1"',
      callbackKey: 'k',
    });
    expect(await program.standard.reaches(jobId, 'retry_scheduled')).toMatchObject({
      errorCode: 'source_callback_refused',
      stage: 'extracting',
    });
    await program.standard.get(202, 'POST', `${content}/jobs/${jobId}/cancel`);
    expect((await program.standard.ask('DELETE', `${content}/settings`)).status).toBe(200);
  });

  it('a connector at a private address gets no request', async () => {
    const config = { endpoint: 'https://localhost', bucket: 'bucket', accessKeyId: 'key' };
    const connector = await UsedConnector.create(program.standard, {
      kind: 's3',
      name: 'inside',
      config,
      credential: 'secret',
    });
    expect(await connector.sync()).toMatchObject({
      lastError: expect.stringContaining('localhost has an address that may not be reached'),
      lastSummary: null,
    });
  });

  it('settings only accept hosts within the ceiling, and public https callbacks', async () => {
    const hosts = (sourceHosts: string[]) =>
      program.standard.ask('PATCH', `${content}/settings`, { body: { sourceHosts } });
    for (const outside of ['*.com', 'example.com', 'example.org', '*.localhost', '127.0.0.1'])
      expectRefused(await hosts(['a.example.com', outside]), [403, 'source_host_outside_ceiling']);
    const callbacks = (callbackUrl: string) =>
      program.standard.ask('PUT', `${content}/settings`, { body: { callbackUrl } });
    for (const address of [
      'http://callback.example.org/',
      'https://callback.example.org:8443/',
      'https://10.0.0.1/',
      'https://[::1]/',
    ])
      expectRefused(await callbacks(address), [422, 'validation_error', ['body', 'callbackUrl']]);
    expect((await callbacks('https://callback.example.org/access')).body).toMatchObject({
      callbackUrl: 'https://callback.example.org/access',
      allowedHostCeiling: ['*.example.com', 'localhost'],
    });
    expect((await hosts(['A.example.com', '*.b.example.com', 'localhost'])).status).toBe(200);
    expect((await program.standard.ask('DELETE', `${content}/settings`)).status).toBe(200);
  });

  it('hosts within the ceiling are accepted, ignoring case', async () => {
    for (const [at, sourceUrl] of ['https://a.b.example.com/a.txt', 'HTTPS://FILES.EXAMPLE.COM:443/a.txt'].entries()) {
      const { jobId } = await program.standard.register({ externalId: `below ${at}`, sourceUrl, sourceVersion: '"1"' });
      expect(await program.standard.get(202, 'POST', `${content}/jobs/${jobId}/cancel`)).toEqual({
        jobId,
        state: 'cancelled',
      });
    }
  });
});
