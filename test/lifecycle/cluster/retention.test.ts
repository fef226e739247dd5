import { randomUUID } from 'node:crypto';
import { attributes, found, index, newScope, passage } from '../../../adapters/passages/conformance-data.ts';
import { assets } from '../../../models/asset.ts';
import { audioDays } from '../../../models/audio-day.ts';
import { calendarDay } from '../../../models/calendar-day.ts';
import { erasures } from '../../../models/erasure.ts';
import { idempotencyRecords } from '../../../models/idempotency.ts';
import { imports } from '../../../models/import.ts';
import { archivedRuns } from '../../../models/job.ts';
import { collectionMembers, libraryCollections } from '../../../models/library-collection.ts';
import { accounts, auditRows, organizations } from '../../../models/organization.ts';
import { scopeOf, systemScope } from '../../../models/scope.ts';
import { syncCandidates } from '../../../models/sync.ts';
import { usageEvents } from '../../../models/usage-event.ts';
import { sweepAudit } from '../../../services/accounts/audit-retention.ts';
import { recordAudit, operatorActor } from '../../../services/accounts/audit.ts';
import { eraseAccount } from '../../../services/accounts/erase.ts';
import { collectionsOf } from '../../../services/accounts/collections.ts';
import { sweepCandidates } from '../../../services/connectors/sync/sweep-candidates.ts';
import { IdempotentRequests } from '../../../mixins/http/api/idempotency.ts';
import { forgetDeletedCollections } from '../../../services/registrar/collection-upkeep.ts';
import { eraseSome } from '../../../services/registrar/erasure/account.ts';
import { Registrar } from '../../../services/registrar/registrar.ts';
import { sweepImports, sweepOrphans } from '../../../services/registrar/retention.ts';
import { repairStaleRevision } from '../../../services/registrar/upkeep.ts';
import { AudioDays } from '../../../services/scheduler/audio-days.ts';
import { testAsset } from '../../support/asset.ts';
import { testApp, type TestApp } from '../../support/app.ts';
import { describeWithServers } from '../../support/servers.ts';

const day = 24 * 3_600_000;

await describeWithServers('in MongoDB and Milvus', ['mongo', 'milvus'], ({ mongo, milvus }) =>
  describe('data with a retention time', () => {
    let test: TestApp;
    let registrar: Registrar;
    /** Offset of both clocks in milliseconds, so that sweepers of one test do not affect another. */
    const pass = (milliseconds: number): void => {
      test.ahead.local += milliseconds;
      test.ahead.records += milliseconds;
    };
    beforeAll(async () => {
      const suffix = randomUUID().slice(0, 8);
      test = await testApp({
        PLY_MONGO_URL: mongo.url,
        PLY_MONGO_DATABASE: `ply_test_${suffix}`,
        PLY_MILVUS_URL: milvus.url,
        PLY_MILVUS_COLLECTION: `ply_test_${suffix}`,
        PLY_AUDIT_DAYS: '30',
        PLY_LEASE_SECONDS: '2',
      });
      registrar = new Registrar(
        test.app,
        () => Promise.resolve(),
        () => undefined,
      );
    }, 120_000);
    afterAll(() => test.close(), 60_000);

    it('audit: expired rows are removed except for the newest, once by two sweepers', async () => {
      const { records, runtime } = test.app;
      const accountId = randomUUID();
      await records.collection(accounts, systemScope).insert({
        _id: accountId,
        organizationId: randomUUID(),
        plan: null,
        timeZone: 'UTC',
        createdAt: runtime.now(),
      });
      const add = (id: string): Promise<void> =>
        recordAudit(
          collectionsOf(test.app),
          {
            accountId,
            at: runtime.now(),
            actor: operatorActor,
            action: 'api_key.rotated',
            resourceKind: 'api_key',
            resourceId: id,
            detail: {},
          },
          id,
        );
      for (let at = 0; at < 12; at += 1) await add(`${accountId} old ${at}`);
      pass(29 * day);
      await add(`${accountId} young`);
      expect(await sweepAudit(test.app)).toBe(0);
      pass(2 * day);
      const [one, other] = await Promise.all([sweepAudit(test.app), sweepAudit(test.app)]);
      expect(one + other).toBe(12);
      pass(365 * day);
      expect(await sweepAudit(test.app)).toBe(0);
      expect(
        (await records.collection(auditRows, systemScope).find({ filter: { accountId }, limit: 9 })).map(
          ({ sequence }) => sequence,
        ),
      ).toEqual([13]);
    }, 60_000);

    it('responses to requests with an Idempotency-Key: 24 hours', async () => {
      const requests = new IdempotentRequests(test.app.records, test.app.runtime, {
        id: 'one',
        isAlone: false,
        sealer: test.app.sealer,
      });
      const request = { organizationId: randomUUID(), method: 'POST', route: '/assets', key: 'k', fingerprint: 'f' };
      const perform = (): Promise<{ status: number; body: string }> => Promise.resolve({ status: 202, body: '{}' });
      expect(await requests.run(request, perform)).toMatchObject({ replayed: false, kept: true });
      pass(day - 60_000);
      expect(await requests.sweep()).toBe(0);
      expect(await requests.run(request, perform)).toMatchObject({ replayed: true });
      pass(120_000);
      expect(await Promise.all([requests.sweep(), requests.sweep()]).then(([one, other]) => one + other)).toBe(1);
      expect(await test.app.records.collection(idempotencyRecords, systemScope).count({})).toBe(0);
    }, 60_000);

    it('imports: 90 days', async () => {
      const kept = test.app.records.collection(imports, scopeOf('imports'));
      await kept.insertNew(
        ['a', 'b'].map((id) => ({
          _id: id,
          organizationId: 'imports',
          items: [],
          createdAt: test.app.runtime.now(),
        })),
      );
      pass(89 * day);
      await kept.insert({ _id: 'c', organizationId: 'imports', items: [], createdAt: test.app.runtime.now() });
      expect(await sweepImports(test.app)).toBe(0);
      pass(2 * day);
      expect(await sweepImports(test.app)).toBe(2);
      expect(await kept.count({})).toBe(1);
    }, 60_000);

    it('days of recordings: 3 days', async () => {
      const { records, runtime } = test.app;
      const days = records.collection(audioDays, scopeOf('days'));
      const today = calendarDay(runtime.now(), 'UTC');
      await days.insertNew(
        [0, 1, 3, 4, 9].map((ago) => ({
          _id: `days:${today - ago}`,
          organizationId: 'days',
          day: today - ago,
          milliseconds: 1,
          jobs: {},
        })),
      );
      await new AudioDays(test.app).release();
      expect((await days.find({ filter: {}, sort: [['day', 1]], limit: 9 })).map((each) => today - each.day)).toEqual([
        3, 1, 0,
      ]);
    }, 60_000);

    it('members of deleted collections, and candidates of ended syncs', async () => {
      const { records } = test.app;
      const scope = scopeOf('upkeep');
      const collections = records.collection(libraryCollections, scope);
      const members = records.collection(collectionMembers, scope);
      const base = { organizationId: 'upkeep', metadata: {}, createdAt: 0, updatedAt: 0 };
      await collections.insertNew([
        { ...base, _id: 'gone', externalId: 'gone', name: 'gone', deletedAt: 1 },
        { ...base, _id: 'stays', externalId: 'stays', name: 'stays' },
      ]);
      await members.insertNew(
        ['gone', 'stays'].map((collectionId) => ({
          _id: `${collectionId}/a`,
          organizationId: 'upkeep',
          collectionId,
          assetId: 'a',
          isMember: true,
          attributesVersion: 1,
        })),
      );
      expect(await forgetDeletedCollections(registrar)).toBe(1);
      expect((await members.find({ filter: {}, limit: 9 })).map(({ collectionId }) => collectionId)).toEqual(['stays']);
      const marks = { mark: 'm', access: 'a' };
      const file = {
        externalId: 'e',
        filename: 'f',
        sourceUrl: 'u',
        sourceVersion: 'v',
        contentId: 'c',
        aclMode: 'open' as const,
        principals: [],
        mirrored: false,
        extractContentFromVideoFrames: null,
      };
      await records.collection(syncCandidates, scope).insertNew(
        [1, 2].map((at) => ({
          _id: `over/c/n/${at}`,
          organizationId: 'upkeep',
          connectorId: 'none',
          syncId: 'over',
          contentId: 'c',
          place: 'p',
          fate: { kind: 'n' as const, file, marks },
        })),
      );
      expect(await sweepCandidates(test.app)).toBe(2);
    }, 60_000);

    it('discarded revisions and texts without an asset, but not the active revision', async () => {
      const { records, passages, blobs } = test.app;
      const scope = newScope();
      const { organizationId } = scope;
      const _id = randomUUID();
      const text = (asset: string, revision: number): string =>
        `derived/${organizationId}/${asset}/${revision}/blocks.ndjson`;
      await records.collection(assets, scope).insert(
        testAsset({
          _id,
          organizationId,
          activeRevision: 2,
          latestRevision: 2,
          run: { ...testAsset().run, jobId: randomUUID(), revision: 2, phase: 'ended', state: 'ready' },
        }),
      );
      for (const revision of [1, 2]) {
        await index(passages, scope, [passage(0, 'word')], attributes(_id), revision, null);
        await blobs.write(text(_id, revision), Buffer.from('text'));
      }
      await blobs.write(text('nobody', 1), Buffer.from('text'));
      await repairStaleRevision(registrar, { organizationId, assetId: _id, revision: 2 });
      expect(await found(passages, scope)).toEqual([`${_id}/1/0`, `${_id}/2/0`]);
      await repairStaleRevision(registrar, { organizationId, assetId: _id, revision: 1 });
      expect(await found(passages, scope)).toEqual([`${_id}/2/0`]);
      expect(await Promise.all([1, 2].map((revision) => blobs.exists(text(_id, revision))))).toEqual([false, true]);
      expect(await sweepOrphans(test.app)).toBe(1);
      expect(await blobs.exists(text('nobody', 1))).toBe(false);
      expect(await blobs.exists(text(_id, 2))).toBe(true);
    }, 60_000);

    it('an erased account: usage if requested; late writes are removed, and ids forgotten after a day', async () => {
      const { records, passages, runtime } = test.app;
      const [accountId, scope] = [randomUUID(), newScope()];
      const { organizationId } = scope;
      await records
        .collection(accounts, systemScope)
        .insert({ _id: accountId, organizationId, plan: null, timeZone: 'UTC', createdAt: runtime.now() });
      await records.collection(organizations, systemScope).insert({
        _id: organizationId,
        accountId,
        parentId: null,
        name: 'erased',
        contactEmail: null,
        description: null,
        isActive: true,
        metadata: null,
        createdAt: runtime.now(),
        updatedAt: runtime.now(),
      });
      await records.collection(usageEvents, systemScope).insert({
        _id: `${accountId}:1`,
        accountId,
        organizationId,
        assetId: null,
        metric: 'searches',
        quantity: 1,
        at: runtime.now(),
        receivedAt: runtime.now(),
      });
      const lay = (asset: string): Promise<void> =>
        index(passages, scope, [passage(0, 'word')], attributes(asset), 1, null);
      await lay('a');
      expect(await eraseAccount(test.app, { account: accountId, keepUsage: true })).toMatchObject({
        state: 'under_way',
        organizationIds: [organizationId],
      });
      const all = records.collection(erasures, systemScope);
      const round = async (): Promise<number> => {
        const due = await all.find({ filter: { accountId, due: { $lte: records.time() } }, limit: 9 });
        for (const erasure of due) await eraseSome(registrar, erasure, () => false);
        return due.length;
      };
      await round();
      expect((await eraseAccount(test.app, { account: accountId, keepUsage: true })).state).toBe('under_way');
      pass(7000);
      await round();
      expect((await eraseAccount(test.app, { account: accountId, keepUsage: true })).state).toBe('erased');
      expect(await found(passages, scope)).toEqual([]);
      // An interrupted process returns.
      await lay('late');
      await records.collection(archivedRuns, scope).insert({
        _id: randomUUID(),
        organizationId,
        assetId: 'late',
        assetVersion: 0,
        run: { ...testAsset().run, jobId: randomUUID() },
      });
      pass(600_001);
      expect(await round()).toBe(2);
      pass(1001);
      await round();
      expect(await found(passages, scope)).toEqual([]);
      expect(await records.collection(archivedRuns, scope).count({})).toBe(0);
      expect(await all.count({ accountId })).toBe(2);
      pass(day);
      await round();
      expect(await all.count({ accountId })).toBe(0);
      expect(await records.collection(usageEvents, systemScope).count({ accountId })).toBe(1);
    }, 90_000);
  }),
);
