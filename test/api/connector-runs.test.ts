import { readFileSync } from 'node:fs';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { ConnectorView } from '../../models/connector.ts';
import { s3TestKey, startS3Gateway } from '../servers/s3.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, until } from './support/client.ts';
import { startTestProgram } from './support/program.ts';

const path = `${content}/connectors`;
const server = await startS3Gateway();

if (typeof server === 'string') skipWithReason('a connector over a running program', server);
else {
  const sdk = new S3Client({
    endpoint: `http://${server.host}`,
    region: 'us-east-1',
    credentials: s3TestKey,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const put = (name: string, text: string) =>
    sdk.send(new PutObjectCommand({ Bucket: 'files', Key: name, Body: text }));
  const program = await startTestProgram({
    PLY_PUBLIC_URL: 'https://ply.example.com',
    PLY_TRUSTED_PROXIES: '127.0.0.1',
  });
  const owner = program.standard;
  const config = {
    endpoint: `http://${server.host}`,
    bucket: 'files',
    region: 'us-east-1',
    prefix: '',
    accessKeyId: s3TestKey.accessKeyId,
  };
  const read = ({ connectorId }: ConnectorView): Promise<ConnectorView> =>
    owner.get(200, 'GET', `${path}/${connectorId}`);
  const ranAfter = (connector: ConnectorView, before: string | null): Promise<ConnectorView> =>
    until(
      () => read(connector),
      ({ lastRunAt, syncPending }) => lastRunAt !== before && !syncPending,
    );

  afterAll(async () => {
    await program.end();
    sdk.destroy();
    await server.stop();
  });

  describe('a connector of a bucket', () => {
    it('is synced on request and after events, and its files are found', async () => {
      await sdk.send(new CreateBucketCommand({ Bucket: 'files' }));
      await put('cell.txt', 'Mitochondria are the power plants of the cell.\n');
      const connector = await owner.get<ConnectorView>(201, 'POST', path, {
        body: { kind: 's3', name: 'files', config, credential: s3TestKey.secretAccessKey, defaultAclMode: 'open' },
      });
      await owner.get(202, 'POST', `${path}/${connector.connectorId}/sync`);
      const first = await ranAfter(connector, null);
      expect(first).toMatchObject({
        lastError: null,
        lastSummary: { new: 1, changed: 0, unchanged: 0, failed: 0 },
        failures: [],
      });
      const doneLine = (): string =>
        readFileSync(program.logFile, 'utf8')
          .split('\n')
          .find((text) => text.includes('"sync finished"')) ?? '';
      const line = await until(
        () => Promise.resolve(doneLine()),
        (text) => text !== '',
      );
      expect(JSON.parse(line)).toMatchObject({
        organizationId: program.organizationId,
        connectorId: connector.connectorId,
        syncId: expect.any(String),
      });
      expect(line.match(/"connectorId"/g)).toHaveLength(1);
      const { items } = await until(
        () => owner.search({ query: 'mitochondria' }),
        (found) => found.items.length > 0,
      );
      expect(items).toHaveLength(1);

      await put('tides.txt', 'The moon raises the tides of the sea.\n');
      const address = new URL(connector.notifyUrl ?? '').pathname;
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => fetch(`${program.url}${address}`, { method: 'POST', body: '{}' })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(202));
      const second = await ranAfter(connector, first.lastRunAt);
      expect(second.lastSummary).toMatchObject({ new: 1, unchanged: 1 });
      await until(
        () => owner.search({ query: 'tides of the sea' }),
        (found) => found.items.length > 0,
      );
      // All events caused that one sync.
      expect(await read(connector)).toMatchObject({ lastRunAt: second.lastRunAt, syncPending: false });
    });

    it('is synced once for a burst of 10,000 events', async () => {
      const syncs = async (): Promise<number> =>
        Number(
          /^ply_syncs_total\{outcome="done"\} (\d+)$/m.exec(
            await (await fetch(`${program.metricsUrl}/metrics`)).text(),
          )?.[1] ?? 0,
        );
      const [connector] = (await owner.get<{ items: ConnectorView[] }>(200, 'GET', path)).items;
      if (connector === undefined) throw new Error('the connector is gone');
      const [before, { lastRunAt }] = [await syncs(), await read(connector)];
      const address = `${program.url}${new URL(connector.notifyUrl ?? '').pathname}`;
      const began = performance.now();
      let left = 10_000;
      // A longer burst also causes syncs after each minute; on a busy machine the test sends fewer events.
      const isBurst = (): boolean => left > 0 && performance.now() - began < 40_000;
      const statuses = new Set<number>();
      // On a stalled machine, one burst may become several.
      let [last, pauses] = [began, 0];
      const sender = async (): Promise<void> => {
        while (isBurst()) {
          left -= 1;
          // Twenty senders, each below its limit.
          const response = await fetch(address, {
            method: 'POST',
            headers: { 'X-Forwarded-For': `203.0.113.${left % 20}` },
            body: '{"Records":[]}',
          });
          await response.arrayBuffer();
          statuses.add(response.status);
          const now = performance.now();
          if (now - last > 1000) pauses += 1;
          last = now;
        }
      };
      await Promise.all(Array.from({ length: 40 }, sender));
      expect([...statuses]).toEqual([202]);
      await ranAfter(connector, lastRunAt);
      const done = (await syncs()) - before;
      expect({ isOne: done >= 1 && done <= 1 + pauses, sent: left < 9000 }).toEqual({ isOne: true, sent: true });
    }, 300_000);

    it('reports why a sync failed, and keeps its files when it is deleted', async () => {
      const connector = await owner.get<ConnectorView>(201, 'POST', path, {
        body: { kind: 's3', name: 'a wrong secret', config, credential: 'another-secret' },
      });
      await owner.get(202, 'POST', `${path}/${connector.connectorId}/sync`);
      const failed = await ranAfter(connector, null);
      expect(failed.lastSummary).toBeNull();
      expect(failed.lastError).toContain('the secret does not fit the access key id');
      expect(failed.lastError).not.toContain('another-secret');
      const { items } = await owner.get<{ items: ConnectorView[] }>(200, 'GET', path);
      for (const { connectorId } of items) await owner.get(204, 'DELETE', `${path}/${connectorId}`);
      expect((await owner.search({ query: 'mitochondria' })).items).toHaveLength(1);
    });

    it('sends no request to a host that is no longer in sourceHosts', async () => {
      const connector = await owner.get<ConnectorView>(201, 'POST', path, {
        body: { kind: 's3', name: 'closed', config, credential: s3TestKey.secretAccessKey },
      });
      await owner.get(200, 'PATCH', `${content}/settings`, { body: { sourceHosts: ['files.example.com'] } });
      await owner.get(202, 'POST', `${path}/${connector.connectorId}/sync`);
      expect((await ranAfter(connector, null)).lastError).toContain("not among the organization's sourceHosts");
      await owner.get(200, 'DELETE', `${content}/settings`);
    });
  });
}
