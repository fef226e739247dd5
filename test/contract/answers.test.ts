import { randomUUID } from 'node:crypto';
import type { Accepted, ImportResult, SubOrganizationView } from '../../models/api.ts';
import type { JsonObject } from '../../models/json.ts';
import { codesOf } from '../../services/gateway/openapi.ts';
import type { Route } from '../../mixins/http/api/route.ts';
import { routeTable } from '../../services/gateway/table.ts';
import { content, registration, until, type Client, type Registration } from '../api/support/client.ts';
import { serveRecordings } from '../api/support/recordings.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { join } from '../api/support/person.ts';
import { ownerEnvironment, signIn, type SessionClient } from '../api/support/session.ts';
import { askAboutAccess, askAboutRegistration, askAboutTuning, type Asker } from './support/asker.ts';
import { askAboutConnectors } from './support/asker-connectors.ts';
import { askAboutDelivery } from './support/asker-delivery.ts';
import { askAboutWebhooks } from './support/asker-webhooks.ts';
import { askAboutStatements } from './support/asker-statements.ts';
import { askAboutUsage } from './support/asker-usage.ts';
import { askAboutObjects } from './support/asker-objects.ts';
import { askAboutPeople } from './support/asker-people.ts';
import { askAboutPlan } from './support/asker-plan.ts';
import { askAboutVideos } from './support/asker-videos.ts';
import { askAboutBuckets } from './support/asker-storage.ts';
import { askAboutStorageCredentials } from './support/asker-storage-credentials.ts';
import { minimalBody } from './support/minimal-body.ts';
import { notReachable } from './support/not-reachable.ts';
import { Recorder, type Asked } from './support/recorder.ts';

/*
 * Every operation is called for its success and each of its errors, and every response is checked against the
 * description with all objects closed.
 */
/** Clients send no body with GET. */
const aboutBodies = new Set(['payload_too_large', 'unsupported_media_type']);
function hasNoBody({ method, params, query }: Route): boolean {
  return method === 'GET' && Object.keys({ ...params, ...query }).length === 0;
}

/** These check the body first, or find what is the organization's own without an id. */
const foundWithoutId = new Set([
  'changeCollectionAssets',
  'readStorageAccount',
  'changeStorageAccount',
  'createStorageCredential',
  // They have the month of the path, which is no id.
  'readStatement',
  'exportStatement',
]);

const maxBodyBytes = 4096;
let program: TestProgram;
let recorder: Recorder;
let admin: Client;
let standard: Client;
let dashboard: SessionClient;
let reader: Client;
let recording: Accepted | undefined;
let unreadable: Accepted | undefined;

async function descriptionOf(url: string): Promise<JsonObject> {
  const description: JsonObject = JSON.parse(await (await fetch(`${url}/api/openapi.json`)).text());
  return description;
}

beforeAll(async () => {
  program = await startTestProgram({
    PLY_MAX_BODY_BYTES: String(maxBodyBytes),
    PLY_ALLOWED_HOST_CEILING: '127.0.0.1',
    ...ownerEnvironment,
  });
  ({ admin, standard } = program);
  dashboard = await signIn(program);
  reader = (await join(dashboard, 'reader')).client;
  recorder = new Recorder(await descriptionOf(program.url));
  [recording, unreadable] = await serveRecordings(program, [
    {
      segments: [
        {
          id: 's1',
          text: 'one word',
          start: 0,
          end: 1.5,
          speaker: null,
          language: 'en',
          words: [{ text: 'one', start: 0, end: 0.5, confidence: null }],
          timingPrecision: 'word',
        },
      ],
    },
    { segments: null, fields: { sourceUrl: 'http://0.0.0.0/a.mp3' } },
  ]);
});
afterAll(() => program.end());

function ask(operation: string, asked?: Asked): ReturnType<Recorder['ask']> {
  const route = routeTable.find((row) => row.operation === operation);
  const withKey = route?.scope === 'admin' ? admin : standard;
  // What is asked with another key, or with none, is not asked with the session.
  const isInDashboard = route?.dashboardOnly === true && asked?.headers?.['Authorization'] === undefined;
  return recorder.ask(isInDashboard ? dashboard : withKey, operation, asked);
}

async function succeed<T>(operation: string, asked?: Asked): Promise<T> {
  const answer = await ask(operation, asked);
  expect({ operation, status: answer.status }).toEqual({
    operation,
    status: routeTable.find((row) => row.operation === operation)?.status,
  });
  const body: T = JSON.parse(JSON.stringify(answer.body));
  return body;
}

/** The code of a malformed parameter: those of usage have codes of their own. */
function codeOfParameter(operation: string, name: string): string {
  if (!['readUsage', 'readDailyUsage', 'listUsageOfAssets'].includes(operation)) return 'validation_error';
  if (['month', 'from', 'to'].includes(name)) return 'invalid_period';
  return { metric: 'invalid_metric', breakdown: 'invalid_breakdown' }[name] ?? 'validation_error';
}

async function refused(operation: string, code: string, asked?: Asked): Promise<void> {
  expect((await ask(operation, asked)).body).toMatchObject({ code });
}

function put(
  name: string,
  text = 'Mitochondria are the power plants of the cell.\n',
): { sourceUrl: string; sourceVersion: string } {
  return program.source.put(name, text);
}

function asset(fields: Partial<Registration> = {}): { [field: string]: unknown } {
  return registration({ ...put('a.txt'), ...fields });
}

/** Requests for the parts of these tests in other files. */
function asker(): Asker {
  return { program, succeed, refused, put, asset };
}

describe('successful responses match the description', () => {
  it('of assets, jobs and search', async () => {
    const { assetId, jobId } = await succeed<Accepted>('registerAsset', {
      body: asset({ metadata: { a: 'x', b: [1, true] }, principals: ['p'], language: 'en' }),
      headers: { 'Idempotency-Key': 'first' },
    });
    await standard.reaches(jobId, 'ready');
    const ids = { assetId, jobId };
    await succeed('listAssets', { query: '?limit=5&offset=0' });
    await succeed('readAsset', { ids, query: '?asReader=true&principals=p&principals=q' });
    await succeed('readJob', { ids });
    await succeed('listAssetJobs', { ids });
    await succeed('readMetadata', { ids });
    await succeed('writeMetadata', { ids, body: { metadata: { c: 1.5 } } });
    await succeed('readPermissions', { ids });
    await succeed('writePermissions', { ids, body: { mode: 'restricted', principals: ['p', 'r'] } });
    await until(
      () => succeed<{ items: unknown[] }>('search', { body: { query: 'mitochondria power', principals: ['r'] } }),
      ({ items }) => items.length > 0,
    );
    await succeed('search', {
      body: {
        query: 'mitochondria',
        group: 'file',
        principals: ['p'],
        limit: 1,
        filter: { metadata: { c: 1.5 }, language: 'en' },
      },
    });
    await succeed('readCapabilities');
    for (const query of ['', '?order=filename&limit=1', '?kind=document&state=ready&q=file&asReader=true'])
      await succeed('listActivity', { query });
    const again = await succeed<Accepted>('reindexAsset', { ids, headers: { 'Idempotency-Key': 'again' } });
    await standard.reaches(again.jobId, 'ready');
    await succeed('listAssetJobs', { ids });
  });

  it('of failed, waiting and cancelled jobs', async () => {
    const broken = await standard.register({
      ...program.source.put('broken.txt', new Uint8Array([0xff, 0xfe, 0x80])),
      filename: 'broken.txt',
    });
    await standard.reaches(broken.jobId, 'failed');
    const denied = await standard.register({
      ...program.source.put('denied.txt', 'x', { status: 403 }),
      filename: 'denied.txt',
    });
    await standard.reaches(denied.jobId, 'awaiting_source_access');
    const away = await standard.register({
      ...program.source.put('away.txt', 'x', { status: 503 }),
      filename: 'away.txt',
    });
    await until(
      () => standard.job(away.jobId),
      ({ state }) => state === 'retry_scheduled',
    );
    for (const { assetId, jobId } of [broken, denied, away]) {
      await succeed('readJob', { ids: { jobId } });
      await succeed('readAsset', { ids: { assetId } });
    }
    await succeed('listActivity');
    await succeed('cancelJob', { ids: { jobId: denied.jobId } });
    await succeed('readJob', { ids: { jobId: denied.jobId } });
    await succeed('readAsset', { ids: { assetId: denied.assetId } });
    const gone = await succeed<Accepted>('removeAsset', { ids: { assetId: broken.assetId } });
    const removal = await ask('readJob', { ids: { jobId: gone.jobId } });
    expect([200, 404]).toContain(removal.status);
  });

  it('of source access', () => askAboutAccess(asker(), { readable: recording, unreadable }));

  it('of transcripts and their corrections', async () => {
    if (recording === undefined) throw new Error('there is no recording');
    const { assetId, jobId } = recording;
    await standard.reaches(jobId, 'ready');
    await succeed('readTranscript', { ids: { assetId } });
    const { jobId: correction } = await succeed<Accepted>('correctTranscript', {
      ids: { assetId },
      body: { segments: [{ id: 's1', text: 'another word' }] },
      headers: { 'If-Match': '"1"', 'Idempotency-Key': 'correction' },
    });
    await standard.reaches(correction, 'ready');
    await succeed('readTranscript', { ids: { assetId } });
    await succeed('listPassages', { ids: { assetId } });
    const { items } = await succeed<{ items: unknown[] }>('search', { body: { query: 'another word', kind: 'audio' } });
    expect(items).toHaveLength(1);
    await refused('correctTranscript', 'idempotency_conflict', {
      ids: { assetId },
      body: { segments: [] },
      headers: { 'If-Match': '"1"', 'Idempotency-Key': 'correction' },
    });
    await refused('correctTranscript', 'revision_conflict', {
      ids: { assetId },
      body: { segments: [] },
      headers: { 'If-Match': '"1"' },
    });
    await refused('correctTranscript', 'invalid_segment_ids', {
      ids: { assetId },
      body: { segments: [{ id: 's9', text: 'x' }] },
      headers: { 'If-Match': '2' },
    });
    const document = await standard.indexed(asset() as Registration);
    await refused('readTranscript', 'transcript_not_ready', { ids: { assetId: document.assetId } });
    await refused('correctTranscript', 'transcript_not_ready', {
      ids: { assetId: document.assetId },
      body: { segments: [] },
      headers: { 'If-Match': '1' },
    });
  });

  it('of imports with valid and invalid items', async () => {
    const { importId, results } = await succeed<{ importId: string; results: ImportResult[] }>('importAssets', {
      body: {
        assets: [
          asset(),
          asset({ filename: 'a.exe' }),
          {},
          5,
          asset({ externalId: 'twice' }),
          asset({ externalId: 'twice' }),
        ],
      },
    });
    expect(results).toHaveLength(6);
    await succeed('readImport', { ids: { importId } });
  });

  it('of analytics', async () => {
    await standard.indexed(asset() as Registration);
    for (let at = 0; at < 3; at += 1) await succeed('search', { body: { query: 'mitochondria power plants' } });
    await until(
      () => succeed<{ topQueries: unknown[] }>('readSearchAnalytics', { query: '?days=2&limit=5' }),
      ({ topQueries }) => topQueries.length > 0,
    );
    await until(
      () => succeed<{ items: unknown[] }>('suggestQueries', { query: '?prefix=mitochondria&limit=1' }),
      ({ items }) => items.length > 0,
    );
    await succeed('readLibraryHealth', { query: '?limit=5' });
  });

  it('of answers and related files', async () => {
    const [one] = [await standard.indexed(asset() as Registration), await standard.indexed(asset() as Registration)];
    const { citations } = await succeed<{ citations: unknown[] }>('answer', {
      body: { query: 'mitochondria power plants of the cell' },
    });
    expect(citations.length).toBeGreaterThan(0);
    await succeed('answer', { body: { query: 'zeppelin', kind: 'document', principals: ['nobody'] } });
    const { items } = await succeed<{ items: unknown[] }>('listRelated', {
      ids: { assetId: one.assetId },
      query: '?limit=5',
    });
    expect(items.length).toBeGreaterThan(0);
    await succeed('listRelated', { ids: { assetId: one.assetId }, query: '?principals=nobody' });
  });

  it('of settings', async () => {
    await succeed('readSettings');
    const body = {
      sourceHosts: ['127.0.0.1'],
      callbackUrl: 'https://files.example.com/',
      callbackSecret: 'x'.repeat(32),
      dailyAudioHours: 1.5,
      searchLogDays: 0,
      videoDefaults: { ladder: [720], download: true },
    };
    await succeed('replaceSettings', { body });
    await succeed('changeSettings', { body: { dailyAudioHours: null, videoDefaults: null } });
    for (const operation of ['replaceSettings', 'changeSettings'])
      await refused(operation, 'source_host_outside_ceiling', { body: { sourceHosts: ['files.example.com'] } });
    await succeed('dropSettings');
  });

  it('of connectors', () => askAboutConnectors(asker()));

  it('of collections', async () => {
    const { assetId } = await standard.register(asset() as Registration);
    const { externalId } = await succeed<{ externalId: string }>('createCollection', {
      body: { name: 'made', documents: [assetId, randomUUID()] },
    });
    const ids = { externalId: 'shelf' };
    await succeed('writeCollection', { ids, body: { externalId: 'shelf', name: 'Shelf', metadata: { a: [1] } } });
    await succeed('changeCollectionAssets', { ids, body: { add: [assetId], remove: [randomUUID()] } });
    await succeed('listCollections', { query: '?limit=2&offset=0' });
    await refused('writeCollection', 'name_mismatch', { ids, body: { externalId: 'other', name: 'Shelf' } });
    await refused('changeCollectionAssets', 'asset_not_found', { ids, body: { add: [randomUUID()] } });
    await refused('changeCollectionAssets', 'collection_not_found', { ids: { externalId: 'none' }, body: {} });
    await succeed('removeCollection', { ids: { externalId } });
    await refused('removeCollection', 'collection_not_found', { ids: { externalId } });
  });

  it('of tuning', () => askAboutTuning(asker()));

  it('of the plan', () => askAboutPlan(asker()));

  it('of people and of their own user', () => askAboutPeople(asker()));

  it('of storage credentials', () => askAboutStorageCredentials(asker()));

  it('of buckets', async () => {
    const bucket = await askAboutBuckets(asker());
    expect(bucket.state).toBe('active');
    await askAboutDelivery(asker(), bucket);
    await askAboutObjects(asker());
    await askAboutVideos(asker());
  });

  it('of webhooks', async () => {
    await askAboutWebhooks(asker());
    expect(recorder.faults).toEqual([]);
  });

  it('of usage and statements', async () => {
    await askAboutUsage(asker());
    await askAboutStatements(recorder);
  }, 90_000);

  it('of sub-organizations and the audit', async () => {
    const { id } = await succeed<SubOrganizationView>('createSubOrganization', {
      body: { name: 'Branch', contact_email: 'a@example.com', description: 'x', metadata: { a: 1 } },
    });
    await succeed('createSubOrganization', { body: { name: 'Bare' } });
    await succeed('listSubOrganizations');
    await succeed('readSubOrganization', { ids: { id } });
    await succeed('deactivateSubOrganization', { ids: { id } });
    await succeed('changeSubOrganization', { ids: { id }, body: { is_active: true, metadata: null } });
    const first = await succeed<{ next: string | null }>('readAccountAudit', { query: '?limit=2' });
    expect(first.next).toMatch(/^\d+$/);
    await succeed('readAccountAudit', { query: `?limit=100&before=${first.next}` });
  });
});

describe('error responses match the description', () => {
  it.each(routeTable)('$operation: errors of every operation', async (route) => {
    const { operation } = route;
    const ids = Object.fromEntries(Object.keys(route.params).map((name) => [name, randomUUID()]));
    const key = {
      'Idempotency-Key': randomUUID(),
      ...Object.fromEntries(Object.keys(route.headers).map((name) => [name, '1'])),
    };
    const asked = { ids, headers: key };
    await refused(operation, 'api_key_required', { ids, headers: { Authorization: '' } });
    await refused(operation, 'api_key_required', { ids, query: '?API%5FKEY=x' });
    await refused(operation, 'invalid_api_key', { ids, headers: { Authorization: 'ApiKey unknown' } });
    await refused(operation, 'organization_required', { ids, headers: { 'X-Organization-Id': 'x' } });
    await refused(operation, 'organization_forbidden', { ids, headers: { 'X-Organization-Id': randomUUID() } });
    if (route.scope === 'admin')
      expect((await recorder.ask(standard, operation, { ids })).body).toMatchObject({ code: 'admin_key_required' });
    if (route.role !== 'reader')
      expect((await recorder.ask(reader, operation, { ids })).body).toMatchObject({ code: 'role_not_sufficient' });
    if (route.dashboardOnly)
      expect((await recorder.ask(admin, operation, { ids })).body).toMatchObject({
        code: 'dashboard_session_required',
      });
    const withBody = route.method === 'GET' ? null : asked;
    if (withBody !== null) {
      await refused(operation, 'payload_too_large', {
        ...withBody,
        raw: { type: 'application/json', body: 'x'.repeat(maxBodyBytes + 1) },
      });
      await refused(operation, 'unsupported_media_type', { ...withBody, raw: { type: 'text/plain', body: '{}' } });
      await refused(operation, 'validation_error', { ...withBody, raw: { type: 'application/json', body: '{' } });
      await refused(operation, 'validation_error', { ...withBody, body: { surprising: 1 } });
      await refused(operation, 'api_key_required', { ...withBody, body: { apiKey: 'x' } });
    }
    for (const name of Object.keys(ids))
      await refused(operation, 'validation_error', { ids: { ...ids, [name]: 'x%20y' }, headers: key });
    for (const name of Object.keys(route.query))
      if (!['principals', 'q', 'state', 'prefix'].includes(name))
        await refused(operation, codeOfParameter(operation, name), { ids, query: `?${name}=` });
    for (const name of Object.keys(route.headers))
      await refused(operation, 'validation_error', {
        ids,
        headers: { ...key, [name]: '*' },
        ...minimalBody(operation),
      });
    if (route.idempotency !== 'none')
      await refused(operation, 'validation_error', { ids, headers: { 'Idempotency-Key': 'x'.repeat(256) } });
    if (route.idempotency === 'required') await refused(operation, 'idempotency_key_required', { ids });
    const notFound = route.errors.find((code) => code.endsWith('_not_found') && code !== 'collection_not_found');
    if (notFound !== undefined && !foundWithoutId.has(operation))
      await refused(operation, notFound, { ...asked, ...minimalBody(operation) });
  });

  it('registerAsset: its own errors', () => askAboutRegistration(asker()));

  it('errors that depend on state', async () => {
    const reference = program.source.hold('held.txt', 'held back');
    const { assetId, jobId } = await standard.register({ ...reference, filename: 'held.txt' });
    await refused('reindexAsset', 'asset_busy', { ids: { assetId }, headers: { 'Idempotency-Key': 'busy' } });
    reference.release();
    await standard.reaches(jobId, 'ready');
    await refused('cancelJob', 'job_not_cancellable', { ids: { jobId } });
    await refused('playAsset', 'asset_not_playable', { ids: { assetId } });
  });

  it('an Idempotency-Key that was used with another body', async () => {
    const headers = { 'Idempotency-Key': 'used' };
    await succeed('registerAsset', { body: asset(), headers });
    await refused('registerAsset', 'idempotency_conflict', { body: asset(), headers });
    await succeed('importAssets', { body: { assets: [asset()] }, headers });
    await refused('importAssets', 'idempotency_conflict', { body: { assets: [asset()] }, headers });
    const [one, other] = [
      await standard.indexed(asset() as Registration),
      await standard.indexed(asset() as Registration),
    ];
    await succeed('reindexAsset', { ids: { assetId: one.assetId }, headers });
    await refused('reindexAsset', 'idempotency_conflict', { ids: { assetId: other.assetId }, headers });
  });
});

describe('a program with low limits', () => {
  it('responds with 429 on every operation as described', async () => {
    const narrow = await startTestProgram({
      PLY_REQUESTS_PER_MINUTE: '1',
      PLY_SEARCH_REQUESTS_PER_MINUTE: '1',
      PLY_REGISTRATIONS_PER_MINUTE: '1',
      PLY_STORAGE_REQUESTS_PER_MINUTE: '1',
    });
    try {
      for (const [method, path] of [
        ['GET', '/assets'],
        ['POST', '/search'],
        ['POST', '/imports'],
        ['GET', '/regions'],
      ] as const)
        await narrow.standard.ask(method, `${content}${path}`);
      for (const { operation } of routeTable) {
        const { body, headers } = await recorder.ask(narrow.admin, operation);
        expect(body).toMatchObject({ code: 'rate_limited', retryable: true });
        expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      }
    } finally {
      await narrow.end();
    }
  });
});

describe('the whole description', () => {
  it('is covered: success and every reachable error of every operation', () => {
    const wanted = routeTable.flatMap((route) => [
      `${route.operation} ${route.status}`,
      ...codesOf(route)
        .filter(
          (code) =>
            !notReachable.has(code) &&
            !(route.method === 'GET' && aboutBodies.has(code)) &&
            !(code === 'validation_error' && hasNoBody(route)),
        )
        .map((code) => `${route.operation} ${code}`),
    ]);
    expect(wanted.filter((each) => !recorder.seen.has(each) && !notReachable.has(each))).toEqual([]);
  });

  it('matches every response', () => {
    expect(recorder.faults).toEqual([]);
  });
});
