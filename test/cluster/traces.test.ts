import { readFileSync } from 'node:fs';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { Client, content } from '../api/support/client.ts';
import { CollectorDouble, paths } from '../support/collector-double.ts';
import { skipWithReason } from '../support/servers.ts';
import { SignedSource } from '../support/signed-source.ts';

const collector = new CollectorDouble();
const url = await collector.start();
const started = await startCluster({
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LOG_LEVEL: 'debug', PLY_OTLP_URL: url },
  layout: [
    { name: 'door', roles: 'gateway' },
    { name: 'rest', roles: 'accounts,registrar,connectors,scheduler,extractor,embedder,searcher,ledger' },
  ],
});

if ('unavailable' in started) {
  await collector.stop();
  skipWithReason('one trace and one request id over two processes', started.unavailable);
} else {
  const cluster = started;
  const source = new SignedSource();
  beforeAll(() => source.start());
  afterAll(async () => {
    await cluster.stop();
    await source.stop();
    await collector.stop();
  });
  const standard = new Client(cluster.apiUrl, cluster.organizationId, cluster.standardKey);

  describe('a request over two processes', () => {
    it('is one trace with the spans of both', async () => {
      const traceId = 'c0ffee00c0ffee00c0ffee00c0ffee00';
      await standard.get(200, 'POST', `${content}/search`, {
        body: { query: 'narwhal' },
        headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      });
      const route = `POST ${content}/search`;
      const spans = await collector.trace(
        traceId,
        (found) => found.some(({ name }) => name === route) && found.some(({ name }) => name === 'searcher.search'),
      );
      expect(paths(spans)).toEqual(
        expect.arrayContaining([
          `${route} > counters take`,
          `${route} > searcher.search`,
          expect.stringMatching(/^POST \S+ > searcher\.search > passages retrieve_[a-z]+$/),
        ]),
      );
      const instances = (name: string): string[] => [
        ...new Set(spans.filter((span) => span.name === name).map(({ instance }) => instance)),
      ];
      expect([...instances(route), ...instances('searcher.search')]).toHaveLength(2);
      expect(instances(route)).not.toEqual(instances('searcher.search'));
    });

    it('has its trace id in the log of both', async () => {
      const { jobId } = await standard.register({
        filename: 'no.pdf',
        ...source.put('no.pdf', 'no PDF at all'),
        sourceAccess: { url: source.signed('no.pdf') },
      });
      await standard.reaches(jobId, 'failed');
      const traceId = jobId.replaceAll('-', '');
      const spans = await collector.trace(traceId, (found) => found.some(({ name }) => name === 'job'));
      expect(paths(spans)).toEqual(expect.arrayContaining(['job', 'job > extracting']));
      expect(spans.find(({ name }) => name === 'job')?.status.code).toBe(2);
      const lines = readFileSync(`${cluster.folder}/rest.log`, 'utf8')
        .split('\n')
        .filter((line) => line.includes(jobId));
      expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
        expect.objectContaining({
          msg: 'the stage was not done',
          jobId,
          traceId,
          organizationId: cluster.organizationId,
        }),
      );
    });
  });
}
