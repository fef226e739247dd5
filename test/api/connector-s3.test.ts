import { readFileSync } from 'node:fs';
import type { AnswerResponse, AssetView, JobView, RelatedResponse } from '../../models/api.ts';
import type { ConnectorView } from '../../models/connector.ts';
import { s3TestKey, startS3Gateway } from '../servers/s3.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import {
  connectorsPath,
  finds,
  found,
  missingFiles,
  summary,
  testBucket,
  UsedConnector,
} from './support/connectors.ts';
import { startTestProgram } from './support/program.ts';

const server = await startS3Gateway();

if (typeof server === 'string') skipWithReason('a connector of a bucket, sentence by sentence', server);
else {
  const program = await startTestProgram({ PLY_PUBLIC_URL: 'https://ply.example.com' });
  const owner = program.standard;
  const jobsOf = async (assetId: string): Promise<JobView[]> =>
    (await owner.get<{ items: JobView[] }>(200, 'GET', `${content}/assets/${assetId}/jobs`)).items;
  const related = async (client: Client, { assetId }: AssetView): Promise<string[]> =>
    (await client.get<RelatedResponse>(200, 'GET', `${content}/assets/${assetId}/related`)).items.map(
      ({ filename }) => filename,
    );
  afterAll(async () => {
    await program.end();
    await server.stop();
  });

  describe('files of a bucket', () => {
    it('are added, unchanged, changed, moved, removed and restored, and searches reflect it', async () => {
      const bucket = await testBucket(server, 'life');
      const connector = await UsedConnector.create(owner, { name: 'life', defaultAclMode: 'open', ...bucket.body });
      await bucket.put('a/heron.txt', 'The heron stands still in the reeds and waits for fish.');
      await bucket.put('a/stork.txt', 'The stork builds its nest on the chimney and waits for spring.');
      await bucket.put('a/heron-notes.txt', 'Notes about the heron: it eats fish, frogs and eels in the reeds.');
      await bucket.put('a/program.exe', 'nothing that is read');
      await bucket.put('a/folder/', '');
      expect(await connector.settled()).toEqual(summary({ new: 3 }));
      await finds(owner, 'heron in the reeds', ['heron.txt', 'heron-notes.txt']);
      const heron = await connector.asset('heron.txt');
      expect(heron).toMatchObject({
        externalId: `s3:${server.host}/life/a/heron.txt`,
        kind: 'document',
        sourceUrl: `http://${server.host}/life/a/heron.txt`,
        connectorId: connector.id,
        connectorName: 'life',
        sourceAccessMode: null,
        aclMode: 'open',
        sourceMissingSince: null,
        activeRevision: 1,
        latestRevision: 1,
      });

      // No changes, so no writes.
      const before = await connector.assets();
      expect(await connector.settled()).toEqual(summary({ unchanged: 3 }));
      expect(await connector.assets()).toEqual(before);

      await bucket.put('a/stork.txt', 'The stork flies to Africa in autumn.');
      expect(await connector.settled()).toEqual(summary({ changed: 1, unchanged: 2 }));
      await finds(owner, 'stork', ['stork.txt']);
      await until(
        async () => (await owner.search({ query: 'stork' })).items[0]?.snippet ?? '',
        (text) => text.includes('Africa'),
      );
      expect(await connector.asset('stork.txt')).toMatchObject({ activeRevision: 2 });

      // The same content with another name: the same asset, which is not read again.
      await bucket.put('b/grey heron.txt', 'The heron stands still in the reeds and waits for fish.');
      await bucket.remove('a/heron.txt');
      expect(await connector.settled()).toEqual(summary({ moved: 1, unchanged: 2 }));
      await finds(owner, 'heron in the reeds', ['grey heron.txt', 'heron-notes.txt']);
      expect(await connector.asset('grey heron.txt')).toMatchObject({
        assetId: heron.assetId,
        externalId: `s3:${server.host}/life/b/grey heron.txt`,
        sourceUrl: `http://${server.host}/life/b/grey%20heron.txt`,
        activeRevision: 1,
        latestRevision: 1,
      });
      expect(await jobsOf(heron.assetId)).toHaveLength(1);

      // Missing: withheld everywhere, listed as missing, kept.
      const notes = await connector.asset('heron-notes.txt');
      const answerOf = async (): Promise<string> =>
        (
          await owner.get<AnswerResponse>(200, 'POST', `${content}/answer`, { body: { query: 'heron in the reeds' } })
        ).citations
          .map(({ filename }) => filename)
          .join();
      await until(
        () => related(owner, notes),
        (names) => names.includes('grey heron.txt'),
      );
      expect(await answerOf()).toContain('grey heron.txt');
      await bucket.remove('b/grey heron.txt');
      expect(await connector.settled()).toEqual(summary({ removed: 1, unchanged: 2 }));
      await finds(owner, 'heron in the reeds', ['heron-notes.txt']);
      expect([await related(owner, notes), await answerOf()]).toEqual([
        expect.not.arrayContaining(['grey heron.txt']),
        expect.not.stringContaining('grey heron.txt'),
      ]);
      expect(await missingFiles(owner)).toMatchObject([
        {
          assetId: heron.assetId,
          filename: 'grey heron.txt',
          sourceUrl: `http://${server.host}/life/b/grey%20heron.txt`,
          missingSince: expect.stringMatching(/Z$/),
        },
      ]);
      expect((await owner.asset(heron.assetId)).sourceMissingSince).not.toBeNull();
      expect(await connector.settled()).toEqual(summary({ unchanged: 2 }));

      await bucket.put('b/grey heron.txt', 'The heron stands still in the reeds and waits for fish.');
      expect(await connector.settled()).toEqual(summary({ unchanged: 3 }));
      await finds(owner, 'heron in the reeds', ['grey heron.txt', 'heron-notes.txt']);
      expect([await missingFiles(owner), (await jobsOf(heron.assetId)).length]).toEqual([[], 1]);

      // Two new files with the content of a missing one: the match is ambiguous.
      await bucket.remove('b/grey heron.txt');
      for (const name of ['c/one.txt', 'c/two.txt'])
        await bucket.put(name, 'The heron stands still in the reeds and waits for fish.');
      expect(await connector.settled()).toEqual(summary({ new: 2, removed: 1, unchanged: 2 }));
      await finds(owner, 'heron in the reeds', ['heron-notes.txt', 'one.txt', 'two.txt']);
      bucket.close();
    });

    it('have all kinds of names, and are below the prefix', async () => {
      const bucket = await testBucket(server, 'odd');
      const names = [
        '1+1=2.txt',
        'a b.txt',
        '50%.txt',
        '%41.txt',
        'c#.txt',
        'why?.txt',
        'ünï-日本.txt',
        "q'(!)*~&;:@$,.txt",
      ];
      for (const name of names) await bucket.put(`in/${name}`, `Quagga ${name}`);
      await bucket.put('inside.txt', 'Quagga outside of the prefix');
      const connector = await UsedConnector.create(owner, {
        ...bucket.body,
        name: 'odd',
        defaultAclMode: 'open',
        config: { ...bucket.body.config, prefix: 'in/' },
      });
      expect(await connector.settled()).toEqual(summary({ new: names.length }));
      await finds(owner, 'quagga', names);
      expect((await connector.assets()).map(({ externalId }) => externalId).sort()).toEqual(
        names.map((name) => `s3:${server.host}/odd/in/${name}`).sort(),
      );
      expect(await connector.settled()).toEqual(summary({ unchanged: names.length }));
      bucket.close();
    });

    it('are visible to the organization only, and to everybody with an open connector', async () => {
      const bucket = await testBucket(server, 'access');
      await bucket.put('axolotl.txt', 'The axolotl lives in the lake.');
      const connector = await UsedConnector.create(owner, {
        ...bucket.body,
        name: 'access',
        extractContentFromVideoFrames: true,
      });
      expect(await connector.settled()).toEqual(summary({ new: 1 }));
      await finds(owner, 'axolotl', ['axolotl.txt'], { principals: [`org:${owner.organizationId}`] });
      for (const principals of [['stranger'], []]) expect(await found(owner, 'axolotl', { principals })).toEqual([]);
      expect(await connector.asset('axolotl.txt')).toMatchObject({
        aclMode: 'restricted',
        extractContentFromVideoFrames: true,
      });
      await owner.get(200, 'PUT', `${connectorsPath}/${connector.id}`, {
        body: { kind: 's3', name: 'access', config: bucket.body.config, defaultAclMode: 'open' },
      });
      expect(await connector.settled()).toEqual(summary({ reauthorized: 1 }));
      await finds(owner, 'axolotl', ['axolotl.txt'], { principals: ['stranger'] });
      expect(await connector.asset('axolotl.txt')).toMatchObject({
        aclMode: 'open',
        latestRevision: 1,
        extractContentFromVideoFrames: null,
      });
      bucket.close();
    });

    it('that cannot be registered are among the last twenty failures', async () => {
      const bucket = await testBucket(server, 'faults');
      await bucket.put('good.txt', 'The wombat digs.');
      const long = 'l'.repeat(240);
      for (let number = 10; number < 35; number += 1)
        await bucket.put(`${long}/${long}/${'x'.repeat(30)}-${number}.txt`, 'too long for an external id');
      const connector = await UsedConnector.create(owner, { ...bucket.body, name: 'faults', defaultAclMode: 'open' });
      expect(await connector.settled()).toEqual(summary({ new: 1, failed: 25 }));
      const { failures, lastError } = await connector.read();
      expect(lastError).toBeNull();
      expect(failures.map(({ errorCode, seenAt }) => [errorCode, typeof seenAt])).toEqual(
        Array(20).fill(['validation_error', 'string']),
      );
      expect(failures.map(({ externalId }) => externalId.slice(-6, -4))).toEqual(
        Array.from({ length: 20 }, (_, index) => String(34 - index)),
      );
      bucket.close();
    });
  });

  describe('a connector', () => {
    it('keeps its files from other connectors, and takes over files that were registered by clients', async () => {
      const bucket = await testBucket(server, 'shared');
      await bucket.put('okapi.txt', 'The okapi has stripes.');
      await bucket.put('kudu.txt', 'The kudu has horns.');
      const byHand = await owner.register({
        externalId: `s3:${server.host}/shared/kudu.txt`,
        filename: 'kudu.txt',
        ...program.source.put('kudu.txt', 'The kudu has horns.'),
      });
      await owner.reaches(byHand.jobId, 'ready');
      const first = await UsedConnector.create(owner, { ...bucket.body, name: 'first', defaultAclMode: 'open' });
      const second = await UsedConnector.create(owner, { ...bucket.body, name: 'second', defaultAclMode: 'open' });
      const taken = await first.settled();
      expect(taken?.new).toBe(1);
      expect((await first.asset('kudu.txt')).assetId).toBe(byHand.assetId);
      expect(await second.settled()).toEqual(summary({ unchanged: 2 }));
      expect([(await first.assets()).length, (await second.assets()).length]).toEqual([2, 0]);
      await bucket.remove('okapi.txt');
      expect(await second.settled()).toEqual(summary({ unchanged: 1 }));
      await finds(owner, 'okapi', ['okapi.txt']);
      // Another connector may take over the files of a deleted one.
      await owner.get(204, 'DELETE', `${connectorsPath}/${first.id}`);
      await bucket.put('okapi.txt', 'The okapi has stripes.');
      expect(await second.settled()).toMatchObject({ new: 0, failed: 0 });
      expect((await second.assets()).map(({ connectorName }) => connectorName)).toEqual(['second', 'second']);
      bucket.close();
    });

    it('keeps its credential if the replacement has none, and reports a refused one', async () => {
      const bucket = await testBucket(server, 'credential');
      for (const name of ['lemur', 'loris']) await bucket.put(`${name}.txt`, `The ${name} climbs.`);
      const connector = await UsedConnector.create(owner, {
        ...bucket.body,
        name: 'credential',
        defaultAclMode: 'open',
      });
      expect(await connector.settled()).toEqual(summary({ new: 2 }));
      const put = (more: object): Promise<ConnectorView> =>
        owner.get(200, 'PUT', `${connectorsPath}/${connector.id}`, {
          body: { kind: 's3', name: 'credential', config: bucket.body.config, defaultAclMode: 'open', ...more },
        });
      expect(await put({ name: 'credential kept' })).toMatchObject({ credentialSet: true });
      expect(await connector.settled()).toEqual(summary({ unchanged: 2 }));
      await put({ credential: 'a-secret-that-was-withdrawn' });
      const refused = await connector.sync();
      expect(refused).toMatchObject({
        lastError: expect.stringMatching(/secret/),
        lastSummary: summary({ unchanged: 2 }),
        syncPending: false,
      });
      expect(await missingFiles(owner)).not.toContainEqual(expect.objectContaining({ filename: 'lemur.txt' }));
      await finds(owner, 'climbs', ['lemur.txt', 'loris.txt']);
      // A file that is read with a wrong credential waits for access; a new credential and a sync resume it.
      await put({ credential: s3TestKey.secretAccessKey });
      await bucket.put('lemur.txt', 'The lemur leaps.');
      expect(await connector.settled()).toEqual(summary({ changed: 1, unchanged: 1 }));
      expect(await connector.read()).toMatchObject({ lastError: null });
      bucket.close();
    });

    it('is hidden from other organizations, and does not sync while disabled', async () => {
      const bucket = await testBucket(server, 'alone');
      await bucket.put('alone.txt', 'The pangolin rolls up.');
      const connector = await UsedConnector.create(owner, { ...bucket.body, name: 'alone', defaultAclMode: 'open' });
      expect(await connector.settled()).toEqual(summary({ new: 1 }));
      const { assetId } = await connector.asset('alone.txt');
      const other = owner.as((await program.admin.createOrganization('Another')).id);
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/sync'],
        ['DELETE', ''],
      ] as const)
        expectRefused(await other.ask(method, `${connectorsPath}/${connector.id}${path}`), [
          404,
          'connector_not_found',
        ]);
      expectRefused(await other.ask('GET', `${content}/assets/${assetId}`), [404, 'asset_not_found']);
      expect([
        await other.get(200, 'GET', `${content}/activity?connectorId=${connector.id}`),
        await found(other, 'pangolin'),
      ]).toEqual([{ items: [] }, []]);
      // A connector of another organization to the same bucket has its own files.
      const twin = await UsedConnector.create(other, { ...bucket.body, name: 'alone', defaultAclMode: 'open' });
      expect(await twin.settled()).toEqual(summary({ new: 1 }));
      await finds(other, 'pangolin', ['alone.txt']);
      const { config } = bucket.body;
      expect(
        await owner.get(200, 'PUT', `${connectorsPath}/${connector.id}`, {
          body: { kind: 's3', name: 'alone', config, enabled: false },
        }),
      ).toMatchObject({ enabled: false, credentialSet: true });
      expectRefused(await owner.ask('POST', `${connectorsPath}/${connector.id}/sync`), [404, 'connector_not_found']);
      expect((await connector.read()).enabled).toBe(false);
      await finds(owner, 'pangolin', ['alone.txt']);
      bucket.close();
    });

    it('lists a suddenly empty source again before it removes all files', async () => {
      const bucket = await testBucket(server, 'emptied');
      const names = Array.from({ length: 5 }, (_, number) => `numbat-${number}.txt`);
      for (const name of names) await bucket.put(name, `The numbat eats termites, says ${name}.`);
      const connector = await UsedConnector.create(owner, { ...bucket.body, name: 'emptied', defaultAclMode: 'open' });
      expect(await connector.settled()).toEqual(summary({ new: 5 }));
      for (const name of names) await bucket.remove(name);
      const { lastRunAt } = await connector.read();
      await connector.ask();
      await until(
        () => connector.read(),
        ({ syncPending }) => !syncPending,
      );
      await new Promise((resolve) => setTimeout(resolve, 2000));
      expect(await found(owner, 'numbat')).toHaveLength(5);
      expect((await connector.ranAfter(lastRunAt)).lastSummary).toEqual(summary({ removed: 5 }));
      await finds(owner, 'numbat', []);
      bucket.close();
    });

    it('does not expose its credential', () => {
      const log = readFileSync(program.logFile, 'utf8');
      expect([
        log.includes('X-Amz-'),
        log.includes(s3TestKey.secretAccessKey),
        log.includes('a-secret-that-was-withdrawn'),
      ]).toEqual([false, false, false]);
    });
  });
}
