import type { AuditView, SubOrganizationView } from '../../models/api.ts';
import { routeTable } from '../../services/gateway/table.ts';
import { content, expectRefused, registration, until, type Client, type Expected } from './support/client.ts';
import { minimalBody } from '../contract/support/minimal-body.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, createLibrary, createVideo, putObject, startUpload } from './support/storage.ts';

let program: TestProgram;
let one: Client;
let other: Client;
beforeAll(async () => {
  program = await startTestProgram();
  one = program.standard.as((await program.admin.createOrganization('One')).id);
  other = program.standard.as((await program.admin.createOrganization('Other')).id);
});
afterAll(() => program.end());

const base = '/api/sub-organizations';
const unknown = '00000000-0000-4000-8000-000000000000';
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function create(body: unknown) {
  return program.admin.ask<SubOrganizationView>('POST', base, { body });
}

function change(id: string, body: unknown) {
  return program.admin.ask<SubOrganizationView>('PUT', `${base}/${id}`, { body });
}

function audit(query = ''): Promise<{ items: AuditView[]; next: string | null }> {
  return program.admin.get(200, 'GET', `/api/account-audit${query}`);
}

describe('sub-organizations', () => {
  it('are created with every field, and with defaults', async () => {
    const full = {
      name: 'Full',
      contact_email: 'someone@example.com',
      description: 'x'.repeat(2000),
      metadata: { a: 'b', c: 1, d: true },
    };
    const answer = await create(full);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      parent_organization_id: program.organizationId,
      is_active: true,
      created_at: expect.stringMatching(instant),
      updated_at: expect.stringMatching(instant),
      ...full,
    });
    const plain = await create({ name: 'é' });
    expect(plain.body).toMatchObject({ name: 'é', contact_email: null, description: null, metadata: null });
    expect(await program.admin.get(200, 'GET', `${base}/${answer.body.id}`)).toEqual(answer.body);
    const list = await program.admin.get<SubOrganizationView[]>(200, 'GET', base);
    expect(list.filter(({ id }) => [answer.body.id, plain.body.id].includes(id))).toEqual([answer.body, plain.body]);
  });

  it.each<[unknown, Expected]>([
    [{}, [422, 'validation_error', ['body', 'name']]],
    [{ name: '' }, [422, 'validation_error', ['body', 'name']]],
    [{ name: 'x'.repeat(256) }, [422, 'validation_error', ['body', 'name']]],
    ...['nobody', 'a@b..c', 'a@.b', 'a@b.', 'a b@c.d', 'a@b@c', '<a@b.c>', 'a@b.c,d@e.f', 'a;b@c.d'].map(
      (wrong): [object, Expected] => [
        { name: 'x', contact_email: wrong },
        [422, 'validation_error', ['body', 'contact_email']],
      ],
    ),
    [{ name: 'x', description: 'x'.repeat(2001) }, [422, 'validation_error', ['body', 'description']]],
    [{ name: 'x', metadata: { a: [1] } }, [422, 'validation_error', ['body', 'metadata', 'a']]],
    [
      { name: 'x', metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 1])) },
      [422, 'validation_error', ['body', 'metadata']],
    ],
    [
      { name: 'x', metadata: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, 'x'.repeat(500)])) },
      [422, 'validation_error', ['body', 'metadata']],
    ],
    [{ name: 'x', is_active: false }, [422, 'validation_error', ['body', 'is_active']]],
    [{ name: 'x', id: unknown }, [422, 'validation_error', ['body', 'id']]],
  ])('%# are refused with the field at fault', async (body, expected) => {
    expectRefused(await program.admin.ask('POST', base, { body }), expected);
  });

  it('change only the fields sent; null removes a value', async () => {
    const { body: made } = await create({
      name: 'Before',
      contact_email: 'a@b.c',
      description: 'd',
      metadata: { a: 1 },
    });
    expect((await change(made.id, { name: 'After' })).body).toMatchObject({
      name: 'After',
      contact_email: 'a@b.c',
      description: 'd',
      metadata: { a: 1 },
    });
    expect((await change(made.id, { contact_email: null, description: null, metadata: null })).body).toMatchObject({
      name: 'After',
      contact_email: null,
      description: null,
      metadata: null,
    });
    expectRefused(await program.admin.ask('PUT', `${base}/${made.id}`, { body: {} }), [
      422,
      'validation_error',
      ['body'],
    ]);
    expectRefused(await program.admin.ask('PUT', `${base}/${made.id}`, { body: { name: null } }), [
      422,
      'validation_error',
      ['body', 'name'],
    ]);
  });

  it('are refused immediately when deactivated, and keep their content until reactivated', async () => {
    const { body: made } = await create({ name: 'Sleeper' });
    const client = program.standard.as(made.id);
    const { assetId } = await client.indexed(program.source.put('sleeper.txt', 'dormouse'));
    expect(await program.admin.get(200, 'DELETE', `${base}/${made.id}`)).toEqual({
      success: true,
      message: expect.any(String),
    });
    expect(await program.admin.get(200, 'DELETE', `${base}/${made.id}`)).toEqual({
      success: true,
      message: expect.any(String),
    });
    await until(
      () => client.ask('GET', `${content}/assets/${assetId}`),
      ({ status }) => status === 403,
    );
    expectRefused(await client.ask('POST', `${content}/search`, { body: { query: 'dormouse' } }), [
      403,
      'organization_forbidden',
    ]);
    expect(await program.admin.get(200, 'GET', `${base}/${made.id}`)).toMatchObject({ is_active: false });
    expect((await change(made.id, { is_active: true })).body).toMatchObject({ is_active: true });
    await until(
      () => client.ask('GET', `${content}/assets/${assetId}`),
      ({ status }) => status === 200,
    );
    expect((await client.search({ query: 'dormouse' })).items).toHaveLength(1);
  });

  it("need an admin key and the account's own organization", async () => {
    for (const [method, path] of [
      ['GET', base],
      ['POST', base],
      ['GET', `${base}/${unknown}`],
      ['PUT', `${base}/${unknown}`],
      ['DELETE', `${base}/${unknown}`],
      ['GET', '/api/account-audit'],
    ] as const) {
      const sent = method === 'POST' || method === 'PUT' ? { body: { name: 'x' } } : {};
      expectRefused(await program.standard.ask(method, path, sent), [403, 'admin_key_required']);
      expectRefused(await program.admin.as(one.organizationId).ask(method, path, sent), [
        403,
        'organization_forbidden',
      ]);
    }
  });

  it('are not found by an unknown id or the id of the own organization', async () => {
    for (const id of [unknown, program.organizationId]) {
      for (const method of ['GET', 'PUT', 'DELETE'])
        expectRefused(
          await program.admin.ask(method, `${base}/${id}`, method === 'PUT' ? { body: { name: 'x' } } : {}),
          [404, 'sub_organization_not_found'],
        );
    }
    expectRefused(await program.admin.ask('GET', `${base}/me`), [422, 'validation_error', ['path', 'id']]);
  });
});

describe('the account audit', () => {
  it('lists actions, newest first, in pages', async () => {
    const { body: made } = await create({ name: 'Audited' });
    await change(made.id, { name: 'Audited again', description: 'words' });
    await change(made.id, { name: 'Audited again' });
    await program.admin.get(200, 'DELETE', `${base}/${made.id}`);
    await change(made.id, { is_active: true });
    const { items } = await audit('?limit=100');
    const own = items.filter(({ resourceId }) => resourceId === made.id);
    expect(own.map(({ action }) => action)).toEqual([
      'sub_organization.reactivated',
      'sub_organization.deactivated',
      'sub_organization.updated',
      'sub_organization.created',
    ]);
    expect(own[0]).toEqual({
      id: expect.stringMatching(/^\d+$/),
      at: expect.stringMatching(instant),
      actor: {
        kind: 'api_key',
        id: expect.any(String),
        label: expect.any(String),
        prefix: program.admin.key.slice(0, 12),
      },
      action: 'sub_organization.reactivated',
      resourceKind: 'sub_organization',
      resourceId: made.id,
      detail: {},
    });
    expect(JSON.stringify(items)).not.toContain('Audited again');
    expect(JSON.stringify(items)).not.toContain(program.admin.key);
    const pages: AuditView[] = [];
    let before = '';
    do {
      const page = await audit(`?limit=3${before}`);
      pages.push(...page.items);
      before = page.next === null ? '' : `&before=${page.next}`;
    } while (before !== '');
    expect(pages.slice(0, items.length)).toEqual(items);
    const numbers = pages.map(({ id }) => Number(id));
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
  });

  it('lowers a larger limit to 100, and refuses a limit that is not a number', async () => {
    expect((await program.admin.ask('GET', '/api/account-audit?limit=5000')).status).toBe(200);
    for (const limit of ['0', '-1', 'x'])
      expectRefused(await program.admin.ask('GET', `/api/account-audit?limit=${limit}`), [
        422,
        'validation_error',
        ['query', 'limit'],
      ]);
    expect(await audit(`?before=${'9'.repeat(40)}`)).toEqual(await audit(''));
    for (const before of ['x', '-1', '', '1.5'])
      expectRefused(await program.admin.ask('GET', `/api/account-audit?before=${before}`), [
        422,
        'validation_error',
        ['query', 'before'],
      ]);
  });
});

describe('for another organization', () => {
  it('the same externalId is free, and files are not found', async () => {
    const reference = program.source.put('shared.txt', 'the axolotl');
    const mine = await one.indexed({ externalId: 'same id', ...reference });
    const theirs = await other.indexed({ externalId: 'same id', ...reference });
    expect(mine.assetId).not.toBe(theirs.assetId);
    for (const [client, own] of [
      [one, mine],
      [other, theirs],
    ] as const) {
      for (const request of [
        {},
        { filter: { assetIds: [mine.assetId, theirs.assetId] } },
        { filter: { externalIds: ['same id'] } },
      ]) {
        expect((await client.search({ query: 'axolotl', ...request })).items.map(({ assetId }) => assetId)).toEqual([
          own.assetId,
        ]);
      }
      expect(
        (await client.get<{ items: { assetId: string }[] }>(200, 'GET', `${content}/activity`)).items.map(
          ({ assetId }) => assetId,
        ),
      ).toEqual([own.assetId]);
    }
    expect((await program.standard.search({ query: 'axolotl' })).items).toEqual([]);
  });

  it('ids return 404 on every route', async () => {
    const reference = program.source.put('secret.txt', 'the pangolin');
    const { results, importId } = await one.get<{ importId: string; results: { assetId: string; jobId: string }[] }>(
      202,
      'POST',
      `${content}/imports`,
      { body: { assets: [registration({ externalId: 'secret', ...reference })] } },
    );
    const { assetId, jobId } = results[0]!;
    await one.reaches(jobId, 'ready');
    const before = await one.asset(assetId);
    const connector = {
      kind: 's3',
      name: 'Mine',
      config: { endpoint: 'http://127.0.0.1:9', bucket: 'bucket', region: 'us-east-1', prefix: '', accessKeyId: 'key' },
      credential: 'a-secret-access-key',
    };
    const bodies: Record<string, unknown> = {
      writeMetadata: { metadata: { stolen: true } },
      writePermissions: { mode: 'restricted', principals: [] },
      correctTranscript: { segments: [] },
      giveSourceAccess: { url: reference.sourceUrl },
      replaceConnector: connector,
    };
    const { connectorId } = await one.get<{ connectorId: string }>(201, 'POST', `${content}/connectors`, {
      body: connector,
    });
    const admin = program.admin.as(one.organizationId);
    const { id: bucketId } = await createBucket(admin);
    const { id: objectId } = await putObject(one, bucketId, 'secret', Buffer.from('secret'));
    const { id: uploadId } = await startUpload(one, bucketId, { key: 'another', size: 1 });
    const { id: purgeId } = await one.get<{ id: string }>(202, 'POST', `${content}/buckets/${bucketId}/purges`, {
      body: { all: true },
    });
    const { id: domainId } = await admin.get<{ id: string }>(202, 'POST', `${content}/domains`, {
      body: { bucketId, hostname: 'secret.example.com' },
      headers: { 'Idempotency-Key': 'secret domain' },
    });
    const { id: libraryId } = await createLibrary(admin);
    const { id: videoId } = await createVideo(one, libraryId);
    const { id: webhookId } = await admin.get<{ id: string }>(201, 'POST', `${content}/webhooks`, {
      body: { url: 'http://127.0.0.1:9/', events: ['video.ready'] },
      headers: { 'Idempotency-Key': 'secret webhook' },
    });
    const { deliveryId } = await one.get<{ deliveryId: string }>(202, 'POST', `${content}/webhooks/${webhookId}/ping`);
    const ids: Record<string, string> = {
      ...{ assetId, jobId, importId, connectorId },
      ...{ bucketId, objectId, uploadId, purgeId, domainId, libraryId, videoId },
      ...{ webhookId, deliveryId },
    };
    const mine = {
      collection: { externalId: 'chosen', name: 'Mine' },
      boost: { name: 'chosen', match: { kind: 'document' }, factor: 2 },
    };
    await one.get(200, 'PUT', `${content}/collections/chosen`, { body: mine.collection });
    await one.get(200, 'PUT', `${content}/tuning/boosts/chosen`, { body: mine.boost });
    const adminIds = new Set(['bucketId', 'domainId', 'libraryId', 'videoId', 'webhookId']);
    const asked: string[] = [];
    for (const route of routeTable) {
      const names = Object.keys(route.params);
      // Names are scoped to the organization: tests below cover them.
      if (names.every((name) => name === 'externalId' || name === 'name' || name === 'month')) continue;
      if (route.scope === 'admin' && !names.some((name) => adminIds.has(name))) continue;
      // These refuse every key: test/api/people.test.ts asks them with a session of another account.
      if (route.dashboardOnly) continue;
      expect(names.filter((name) => ids[name] === undefined)).toEqual([]);
      const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
      const headers = {
        ...(route.idempotency === 'none' ? {} : { 'Idempotency-Key': 'theft' }),
        ...Object.fromEntries(Object.keys(route.headers).map((name) => [name, '1'])),
      };
      const sent = {
        ...(route.body === null ? {} : { body: bodies[route.operation] ?? minimalBody(route.operation).body ?? {} }),
        headers,
      };
      const admins = [program.admin, program.admin.as(other.organizationId)];
      for (const client of route.scope === 'admin' ? admins : [other, program.standard, program.admin]) {
        const answer = await client.ask(route.method, path, sent);
        expect([route.operation, answer.status, answer.body.code]).toEqual([
          route.operation,
          404,
          expect.stringMatching(
            /^(asset|job|import|connector|bucket|object|upload|purge|domain|library|video|webhook|delivery)_not_found$/,
          ),
        ]);
        // The responses for unknown ids and ids of others are equal.
        const nowhere = await client.ask(
          route.method,
          Object.values(ids).reduce((text, id) => text.replace(id, unknown), path),
          sent,
        );
        expect({ ...answer.body, requestId: '' }).toEqual({ ...nowhere.body, requestId: '' });
      }
      asked.push(route.operation);
    }
    for (const client of [other, program.standard]) {
      for (const path of ['/collections/chosen', '/tuning/boosts/chosen'])
        await client.ask('DELETE', `${content}${path}`);
      await client.ask('PUT', `${content}/tuning/boosts/chosen`, { body: { ...mine.boost, factor: 9 } });
    }
    expect(await one.get(200, 'GET', `${content}/collections`)).toMatchObject({ items: [mine.collection] });
    expect(await one.get(200, 'GET', `${content}/tuning/boosts`)).toEqual({ items: [mine.boost] });
    expect(await one.get(200, 'GET', `${content}/connectors/${connectorId}`)).toMatchObject({
      name: 'Mine',
      lastRunAt: null,
      syncPending: false,
    });
    expect(asked.length).toBeGreaterThanOrEqual(34);
    expect(await one.get(200, 'GET', `${content}/objects/${objectId}`)).toMatchObject({
      metadata: {},
      state: 'stored',
    });
    expect(await one.get(200, 'GET', `${content}/uploads/${uploadId}`)).toMatchObject({ state: 'open' });
    expect(await one.get(200, 'GET', `${content}/domains/${domainId}`)).toMatchObject({ id: domainId });
    expect(await one.get(200, 'GET', `${content}/webhooks/${webhookId}`)).toMatchObject({ active: true });
    expect(await one.asset(assetId)).toEqual(before);
    expect((await one.search({ query: 'pangolin' })).items).toHaveLength(1);
  });

  it('administration routes refuse its ids', async () => {
    for (const route of routeTable.filter(({ scope, params }) => scope === 'admin' && 'id' in params)) {
      const sent = route.body === null ? {} : { body: { name: 'x' } };
      expectRefused(
        await program.admin
          .as(one.organizationId)
          .ask(route.method, route.path.replace('{id}', other.organizationId), sent),
        [403, 'organization_forbidden'],
      );
    }
  });
});

it('sub-organizations can be created sixty times per hour', async () => {
  let answer = await create({ name: 'one more' });
  let created = 0;
  while (answer.status === 201 && created < 70) {
    answer = await create({ name: 'one more' });
    created += 1;
  }
  expect([answer.status, answer.body]).toEqual([
    429,
    expect.objectContaining({ code: 'rate_limited', retryable: true }),
  ]);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
  expect(await program.admin.get(200, 'GET', base)).toHaveLength(60);
});
