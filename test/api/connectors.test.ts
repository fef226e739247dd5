import { randomUUID } from 'node:crypto';
import type { ConnectorView } from '../../models/connector.ts';
import { content, expectRefused, until, type Client, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const path = `${content}/connectors`;
const secret = 'a-secret-access-key-that-nobody-may-see';
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// No server listens at this port: syncs fail immediately, and these tests do not depend on them.
const s3 = {
  endpoint: 'http://127.0.0.1:9',
  bucket: 'course-files',
  region: 'eu-central-1',
  prefix: 'public/',
  accessKeyId: 'AKIA',
};
const azure = { blobService: 'http://127.0.0.1:9/devstoreaccount1', container: 'files', prefix: '' };
const canvas = { baseUrl: 'http://127.0.0.1:9' };

let program: TestProgram;
let owner: Client;
beforeAll(async () => {
  program = await startTestProgram({
    PLY_ALLOWED_HOST_CEILING: '127.0.0.1,example.com,*.example.com',
    PLY_PUBLIC_URL: 'https://ply.example.com/base/',
  });
  owner = program.standard;
});
afterAll(() => program.end());

let names = 0;
/** The body of a connector with a unique name. */
function body(fields: { [name: string]: unknown } = {}): { [name: string]: unknown } {
  names += 1;
  return { kind: 's3', name: `connector ${names}`, config: s3, ...fields };
}
const create = (fields: { [name: string]: unknown } = {}, client: Client = owner): Promise<ConnectorView> =>
  client.get(201, 'POST', path, { body: body(fields) });
const read = ({ connectorId }: Pick<ConnectorView, 'connectorId'>): Promise<ConnectorView> =>
  owner.get(200, 'GET', `${path}/${connectorId}`);
const replace = ({ connectorId }: ConnectorView, fields: { [name: string]: unknown }): Promise<ConnectorView> =>
  owner.get(200, 'PUT', `${path}/${connectorId}`, { body: body(fields) });

describe('a connector', () => {
  it('has defaults, and does not show its credential', async () => {
    const sent = body({ credential: secret });
    const made = await owner.get<ConnectorView>(201, 'POST', path, { body: sent });
    expect(made).toEqual({
      connectorId: expect.stringMatching(uuid),
      kind: 's3',
      name: sent['name'],
      config: s3,
      credentialSet: true,
      schedule: 'manual',
      enabled: true,
      syncPending: false,
      defaultAclMode: 'restricted',
      extractContentFromVideoFrames: null,
      notifyUrl: expect.stringMatching(
        /^https:\/\/ply\.example\.com\/base\/api\/content\/v1\/notifications\/[A-Za-z0-9_-]{43}$/,
      ),
      lastRunAt: null,
      lastError: null,
      lastSummary: null,
      failures: [],
      createdAt: expect.stringMatching(instant),
      updatedAt: made.createdAt,
    });
    expect(await read(made)).toEqual(made);
    expect(JSON.stringify(await owner.get(200, 'GET', path))).not.toContain(secret);
  });

  it('accepts the fields of each kind', async () => {
    expect(
      await create({
        kind: 'azure_blob',
        config: azure,
        credential: '?sv=2026-01-01&sp=rl&sig=x',
        schedule: 'nightly',
        enabled: false,
        defaultAclMode: 'open',
        extractContentFromVideoFrames: true,
      }),
    ).toMatchObject({
      kind: 'azure_blob',
      config: azure,
      credentialSet: true,
      schedule: 'nightly',
      enabled: false,
      defaultAclMode: 'open',
      extractContentFromVideoFrames: true,
    });
    expect(await create({ kind: 'canvas', config: { baseUrl: 'http://127.0.0.1:9///' } })).toMatchObject({
      kind: 'canvas',
      config: canvas,
      credentialSet: false,
    });
    expect(
      (await create({ config: { endpoint: 'HTTP://S3.Example.COM/', bucket: 'b2', accessKeyId: 'k' } })).config,
    ).toEqual({ endpoint: 'http://s3.example.com', bucket: 'b2', region: 'us-east-1', prefix: '', accessKeyId: 'k' });
    expect(
      (await create({ kind: 'azure_blob', config: { containerUrl: 'http://acc.example.com/files/', prefix: 'a/' } }))
        .config,
    ).toEqual({ blobService: 'http://acc.example.com', container: 'files', prefix: 'a/' });
    expect(
      (await create({ kind: 'azure_blob', config: { containerUrl: `${azure.blobService}/files` } })).config,
    ).toEqual(azure);
  });

  it('is listed by name in its own organization only', async () => {
    const client = owner.as((await program.admin.createOrganization('Connectors')).id);
    const [second, first] = [await create({ name: 'b' }, client), await create({ name: 'a' }, client)];
    expect(await client.get(200, 'GET', path)).toEqual({ items: [first, second] });
    for (const [method, suffix, sent] of [
      ['GET', '', undefined],
      ['PUT', '', body()],
      ['POST', '/sync', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      expectRefused(
        await owner.ask(method, `${path}/${first.connectorId}${suffix}`, sent === undefined ? {} : { body: sent }),
        [404, 'connector_not_found'],
      );
    }
    expect(await client.get(200, 'GET', path)).toEqual({ items: [first, second] });
  });

  const wrong: [string, unknown, Expected][] = [
    ['nothing', {}, [422, 'validation_error', ['body', 'kind']]],
    ['a list', [], [422, 'validation_error', ['body']]],
    ['another kind', body({ kind: 'ftp' }), [422, 'validation_error', ['body', 'kind']]],
    ['no name', { kind: 's3', config: s3 }, [422, 'validation_error', ['body', 'name']]],
    ['an empty name', body({ name: '' }), [422, 'validation_error', ['body', 'name']]],
    ['a long name', body({ name: 'x'.repeat(201) }), [422, 'validation_error', ['body', 'name']]],
    ['no config', { kind: 's3', name: 'x' }, [422, 'validation_error', ['body', 'config']]],
    ['a config of another kind', body({ config: canvas }), [422, 'validation_error', ['body', 'config', 'endpoint']]],
    [
      'an unknown field of a config',
      body({ config: { ...s3, secret } }),
      [422, 'validation_error', ['body', 'config', 'secret']],
    ],
    [
      'an address that is none',
      body({ config: { ...s3, endpoint: 's3.example.com' } }),
      [422, 'validation_error', ['body', 'config', 'endpoint']],
    ],
    [
      'an address with a user',
      body({ kind: 'canvas', config: { baseUrl: 'https://me:token@example.com' } }),
      [422, 'validation_error', ['body', 'config', 'baseUrl']],
    ],
    [
      'an address with a signature',
      body({ kind: 'azure_blob', config: { containerUrl: 'https://a.example.com/c?sig=x' } }),
      [422, 'validation_error', ['body', 'config', 'containerUrl']],
    ],
    [
      'a container beside its address',
      body({ kind: 'azure_blob', config: { ...azure, containerUrl: 'https://a.example.com/c' } }),
      [422, 'validation_error', ['body', 'config', 'blobService']],
    ],
    [
      'an address without a container',
      body({ kind: 'azure_blob', config: { containerUrl: 'https://a.example.com/' } }),
      [422, 'validation_error', ['body', 'config', 'containerUrl']],
    ],
    [
      'a bucket that is a path',
      body({ config: { ...s3, bucket: '../x' } }),
      [422, 'validation_error', ['body', 'config', 'bucket']],
    ],
    ['no credential as null', body({ credential: null }), [422, 'validation_error', ['body', 'credential']]],
    ['a credential of two lines', body({ credential: 'a\r\nb' }), [422, 'validation_error', ['body', 'credential']]],
    [
      'a signature that may write',
      body({ kind: 'azure_blob', config: azure, credential: 'sp=rwl&sig=x' }),
      [422, 'validation_error', ['body', 'credential']],
    ],
    ['another schedule', body({ schedule: 'hourly' }), [422, 'validation_error', ['body', 'schedule']]],
    ['another mode', body({ defaultAclMode: 'shut' }), [422, 'validation_error', ['body', 'defaultAclMode']]],
    ['a field that is shown', body({ credentialSet: true }), [422, 'validation_error', ['body', 'credentialSet']]],
    [
      'a host outside the ceiling',
      body({ config: { ...s3, endpoint: 'https://s3.example.org' } }),
      [403, 'source_host_outside_ceiling'],
    ],
    [
      'an address of the cloud itself',
      body({ config: { ...s3, endpoint: 'http://169.254.169.254' } }),
      [403, 'source_host_not_allowed'],
    ],
    ['a key', body({ apiKey: 'x' }), [401, 'api_key_required']],
  ];
  it.each(wrong)('is refused with %s', async (_, sent, expected) => {
    expectRefused(await owner.ask('POST', path, { body: sent }), expected);
  });

  it('must use a host that the organization allows', async () => {
    const client = owner.as((await program.admin.createOrganization('Hosts')).id);
    const made = await create({}, client);
    await client.get(200, 'PATCH', `${content}/settings`, { body: { sourceHosts: ['*.example.com'] } });
    expectRefused(await client.ask('POST', path, { body: body() }), [403, 'source_host_not_allowed']);
    expectRefused(await client.ask('PUT', `${path}/${made.connectorId}`, { body: body() }), [
      403,
      'source_host_not_allowed',
    ]);
    await create({ config: { ...s3, endpoint: 'https://s3.example.com' } }, client);
  });

  it('has a unique name in its organization', async () => {
    const [one, other] = [await create(), await create()];
    expectRefused(await owner.ask('POST', path, { body: body({ name: one.name }) }), [409, 'connector_name_taken']);
    expectRefused(await owner.ask('PUT', `${path}/${other.connectorId}`, { body: body({ name: one.name }) }), [
      409,
      'connector_name_taken',
    ]);
    expect(await replace(one, { name: one.name })).toMatchObject({ name: one.name });
    const client = owner.as((await program.admin.createOrganization('Names')).id);
    expect(await create({ name: one.name }, client)).toMatchObject({ name: one.name });
    await owner.get(204, 'DELETE', `${path}/${one.connectorId}`);
    expect(await create({ name: one.name })).toMatchObject({ name: one.name });
  });

  it('is not found by an unknown id', async () => {
    expectRefused(await owner.ask('GET', `${path}/${randomUUID()}`), [404, 'connector_not_found']);
    expectRefused(await owner.ask('GET', `${path}/x`), [422, 'validation_error', ['path', 'connectorId']]);
    expectRefused(await owner.ask('PUT', `${path}/x`, { body: {} }), [
      422,
      'validation_error',
      ['path', 'connectorId'],
    ]);
  });
});

describe('a replacement', () => {
  it('keeps the stored credential if none is sent, and nothing else', async () => {
    const made = await create({
      credential: secret,
      schedule: 'nightly',
      defaultAclMode: 'open',
      extractContentFromVideoFrames: false,
    });
    const replaced = await replace(made, { config: { ...s3, bucket: 'other', prefix: '' } });
    expect(replaced).toMatchObject({
      connectorId: made.connectorId,
      credentialSet: true,
      schedule: 'manual',
      defaultAclMode: 'restricted',
      extractContentFromVideoFrames: null,
      notifyUrl: made.notifyUrl,
      createdAt: made.createdAt,
      config: { ...s3, bucket: 'other', prefix: '' },
    });
    expect(Date.parse(replaced.updatedAt)).toBeGreaterThan(Date.parse(made.updatedAt));
    expect(await read(made)).toEqual(replaced);
  });

  it('never sends a stored credential to another address', async () => {
    const made = await create({ credential: secret });
    for (const fields of [
      { config: { ...s3, endpoint: 'http://127.0.0.1:10' } },
      { config: { ...s3, endpoint: 'https://127.0.0.1:9' } },
      { config: { ...s3, endpoint: 'http://s3.example.com:9' } },
      { kind: 'canvas', config: canvas },
    ]) {
      expectRefused(await owner.ask('PUT', `${path}/${made.connectorId}`, { body: body(fields) }), [
        422,
        'validation_error',
        ['body', 'credential'],
      ]);
    }
    expect(await read(made)).toEqual(made);
    expect(await replace(made, { kind: 'canvas', config: canvas, credential: 'token' })).toMatchObject({
      kind: 'canvas',
      config: canvas,
      credentialSet: true,
    });
    const open = await create();
    expect(await replace(open, { kind: 'canvas', config: canvas })).toMatchObject({
      kind: 'canvas',
      credentialSet: false,
    });
  });
});

describe('a requested sync', () => {
  it('is one for many requests, and pending until it starts', async () => {
    // A sync runs until its bucket responds, so no other one starts during the requests.
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const bucket = ['course-files', 'course-files/'];
    for (const name of bucket) program.source.put(name, 'no listing', { status: 403, held });
    const { connectorId } = await create({ config: { ...s3, endpoint: program.source.url }, credential: secret });
    await owner.get(202, 'POST', `${path}/${connectorId}/sync`);
    await until(
      () => Promise.resolve(bucket.reduce((sum, name) => sum + program.source.count(name), 0)),
      (count) => count > 0,
    );
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        owner.get<{ connectorId: string; syncPending: boolean; requestedAt: string }>(
          202,
          'POST',
          `${path}/${connectorId}/sync`,
        ),
      ),
    );
    expect(answers[0]).toEqual({ connectorId, syncPending: true, requestedAt: expect.stringMatching(instant) });
    expect(new Set(answers.map(({ requestedAt }) => requestedAt)).size).toBe(1);
    release();
    expect(
      await until(
        () => read({ connectorId }),
        ({ syncPending }) => !syncPending,
      ),
    ).toMatchObject({ syncPending: false });
  });

  it('is refused for a disabled connector', async () => {
    const made = await create({ enabled: false });
    expectRefused(await owner.ask('POST', `${path}/${made.connectorId}/sync`), [404, 'connector_not_found']);
    await replace(made, { enabled: true });
    expect(await owner.get(202, 'POST', `${path}/${made.connectorId}/sync`)).toMatchObject({ syncPending: true });
    expect(await replace(made, { enabled: false })).toMatchObject({ enabled: false, syncPending: false });
  });
});

describe('a deleted connector', () => {
  it('is not found', async () => {
    const made = await create({ credential: secret });
    await owner.get(202, 'POST', `${path}/${made.connectorId}/sync`);
    await owner.get(204, 'DELETE', `${path}/${made.connectorId}`);
    for (const [method, suffix] of [
      ['GET', ''],
      ['POST', '/sync'],
      ['DELETE', ''],
    ] as const)
      expectRefused(await owner.ask(method, `${path}/${made.connectorId}${suffix}`), [404, 'connector_not_found']);
  });
});
