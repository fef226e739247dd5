import { content, expectRefused, registration, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({ PLY_PRIVATE_NETWORKS: 'deny', PLY_ALLOWED_HOST_CEILING: '*.example.com,localhost' });
}, 60_000);
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
    expectRefused(await program.standard.ask('POST', `${content}/assets`, { body: registration({ sourceUrl, sourceVersion: '"1"' }) }), expected);
  });

  it('a name that leads to a private address fails the job', async () => {
    const { jobId } = await program.standard.register({ sourceUrl: 'https://localhost/a.txt', sourceVersion: '"1"' });
    expect(await program.standard.reaches(jobId, 'failed')).toMatchObject({ errorCode: 'source_host_not_allowed', attempt: 1 });
  });

  it('hosts below the ceiling are taken, in any letter case', async () => {
    for (const [at, sourceUrl] of ['https://a.b.example.com/a.txt', 'HTTPS://FILES.EXAMPLE.COM:443/a.txt'].entries()) {
      const { jobId } = await program.standard.register({ externalId: `below ${at}`, sourceUrl, sourceVersion: '"1"' });
      expect(await program.standard.get(202, 'POST', `${content}/jobs/${jobId}/cancel`)).toEqual({ jobId, state: 'cancelled' });
    }
  });
});
