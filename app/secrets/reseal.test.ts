import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Records } from '../../adapters/records/port.ts';
import { openMongoRecords } from '../../adapters/records/mongo/records.ts';
import { openSqliteRecords } from '../../adapters/records/sqlite/records.ts';
import { sealer, type Sealer } from '../../mixins/sealing.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { acmeAccounts, acmeKeyContext, type AcmeAccount } from '../../models/acme.ts';
import { accessContext, assets } from '../../models/asset.ts';
import { buckets, signingKeyContext } from '../../models/bucket.ts';
import { connectors, credentialContext, type Connector } from '../../models/connector.ts';
import { totpContext, users, type User } from '../../models/dashboard.ts';
import { certificateKeyContext, domains } from '../../models/domain.ts';
import { idempotencyRecords, keptAnswerContext, type IdempotencyRecord } from '../../models/idempotency.ts';
import { systemScope } from '../../models/scope.ts';
import { credentialSecretContext, storageCredentials } from '../../models/storage-credential.ts';
import { emptySettings, callbackSecretContext, settingsRows, type SettingsRow } from '../../models/settings.ts';
import { webhookSecretContext, webhooks } from '../../models/webhook.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testBucket } from '../../test/support/bucket.ts';
import { testDomain } from '../../test/support/domain.ts';
import { testCredential } from '../../test/support/storage-credential.ts';
import { testWebhook } from '../../test/support/webhook.ts';
import { describeWithServers } from '../../test/support/servers.ts';
import { collections } from '../collections.ts';
import { countSecrets } from './count.ts';
import { reseal } from './reseal.ts';
import { sealedFields } from './sealed-fields.ts';

const log = pino({ level: 'silent' });
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const before = sealer(oldKey, systemRuntime);
const changing = sealer(newKey, systemRuntime, { former: [oldKey] });
const after = sealer(newKey, systemRuntime);
const files = 9;

const settings: SettingsRow = {
  ...emptySettings('organization', 0),
  callbackUrl: 'https://a.example',
  sealedCallbackSecret: before.seal('a callback secret', callbackSecretContext('organization')),
};
const connector: Connector = {
  _id: 'connector',
  organizationId: 'organization',
  accountId: 'account',
  name: 'c',
  source: { kind: 'canvas', config: { baseUrl: 'https://source.example' } },
  sealedCredential: before.seal('a credential', credentialContext('connector')),
  schedule: 'manual',
  enabled: true,
  defaultAclMode: 'open',
  extractContentFromVideoFrames: null,
  requestedAt: null,
  sync: null,
  lastRunAt: null,
  lastError: null,
  lastSummary: null,
  failures: [],
  createdAt: 0,
  updatedAt: 0,
  version: 3,
  formerNotified: { keyId: before.keys[0]?.id ?? '', at: 5 },
};

const domain = testDomain({
  sealedCertificateKey: before.seal('a key of a certificate', certificateKeyContext('domain')),
});
const webhook = testWebhook({
  sealedSecret: before.seal('a secret of a webhook', webhookSecretContext('webhook')),
  sealedPreviousSecret: before.seal('a secret before', webhookSecretContext('webhook')),
});
const kept: IdempotencyRecord = {
  _id: 'kept',
  organizationId: 'organization',
  fingerprint: '',
  state: 'done',
  token: 1,
  until: 0,
  workId: '',
  status: 201,
  body: null,
  sealedBody: before.seal('a kept answer', keptAnswerContext('kept')),
  expiresAt: 0,
};
const directory = 'https://authority.example/directory';
const account: AcmeAccount = {
  _id: directory,
  sealedKey: before.seal('a key of an account', acmeKeyContext(directory)),
  createdAt: 0,
};
const credential = testCredential(before, {}, 'a secret of a credential');
const bucket = testBucket({
  _id: 'bucket',
  version: 5,
  signing: { keyId: 'k1234567', sealedKey: before.seal('a signing key', signingKeyContext('bucket')) },
});

const user: User = {
  _id: 'user',
  accountId: 'account',
  email: 'a@example.com',
  emailKey: 'a@example.com',
  passwordHash: '',
  sealedTotp: before.seal('a second factor', totpContext('user')),
  sealedNewTotp: before.seal('another second factor', totpContext('user')),
  createdAt: 0,
  updatedAt: 0,
};

/**
 * Nine files, of which the even ones have an address; a settings row; a connector; a bucket. All sealed with the old
 * key.
 */
async function fill(records: Records): Promise<void> {
  await records.prepare(collections);
  const all = records.collection(assets, systemScope);
  await all.insertNew(
    Array.from({ length: files }, (_, at) =>
      testAsset({
        _id: `file-${at}`,
        version: 7,
        sealedAccess: at % 2 === 0 ? before.seal(`https://a.example/${at}?sig=1`, accessContext(`file-${at}`)) : null,
      }),
    ),
  );
  await records.collection(settingsRows, systemScope).insert(settings);
  await records.collection(connectors, systemScope).insert(connector);
  await records.collection(buckets, systemScope).insert(bucket);
  await records.collection(domains, systemScope).insert(domain);
  await records.collection(webhooks, systemScope).insert(webhook);
  await records.collection(idempotencyRecords, systemScope).insert(kept);
  await records.collection(acmeAccounts, systemScope).insert(account);
  await records.collection(storageCredentials, systemScope).insert(credential);
  await records.collection(users, systemScope).insert(user);
}

/** The texts that a process with these keys can open. */
async function opened(records: Records, keys: Sealer): Promise<string[]> {
  const all = await records
    .collection(assets, systemScope)
    .find({ filter: { sealedAccess: { $exists: true } }, sort: [['_id', 1]], limit: 100 });
  const row = await records.collection(settingsRows, systemScope).get('organization');
  const stored = await records.collection(connectors, systemScope).get('connector');
  const kept = await records.collection(buckets, systemScope).get('bucket');
  const certified = await records.collection(domains, systemScope).get('domain');
  const hook = await records.collection(webhooks, systemScope).get('webhook');
  const answer = await records.collection(idempotencyRecords, systemScope).get('kept');
  const registered = await records.collection(acmeAccounts, systemScope).get(directory);
  const made = await records.collection(storageCredentials, systemScope).get('credential');
  const person = await records.collection(users, systemScope).get('user');
  return [
    ...all.map(({ _id, sealedAccess }) => keys.open(sealedAccess ?? '', accessContext(_id))),
    keys.open(row?.sealedCallbackSecret ?? '', callbackSecretContext('organization')),
    keys.open(stored?.sealedCredential ?? '', credentialContext('connector')),
    keys.open(kept?.signing?.sealedKey ?? '', signingKeyContext('bucket')),
    keys.open(certified?.sealedCertificateKey ?? '', certificateKeyContext('domain')),
    keys.open(hook?.sealedSecret ?? '', webhookSecretContext('webhook')),
    keys.open(hook?.sealedPreviousSecret ?? '', webhookSecretContext('webhook')),
    keys.open(answer?.sealedBody ?? '', keptAnswerContext('kept')),
    keys.open(registered?.sealedKey ?? '', acmeKeyContext(directory)),
    keys.open(made?.sealedSecret ?? '', credentialSecretContext('credential')),
    keys.open(person?.sealedTotp ?? '', totpContext('user')),
    keys.open(person?.sealedNewTotp ?? '', totpContext('user')),
  ];
}
const everything = [
  ...[0, 2, 4, 6, 8].map((at) => `https://a.example/${at}?sig=1`),
  'a callback secret',
  'a credential',
  'a signing key',
  'a key of a certificate',
  'a secret of a webhook',
  'a secret before',
  'a kept answer',
  'a key of an account',
  'a secret of a credential',
  'a second factor',
  'another second factor',
];

it('every sealed field of the records is resealed', () => {
  const documents: [string, object][] = [
    ['assets', testAsset()],
    ['settings', settings],
    ['connectors', connector],
    ['buckets', bucket],
    ['domains', domain],
    ['webhooks', webhook],
    ['idempotency', kept],
    ['acme_accounts', account],
    ['storage_credentials', credential],
    ['users', user],
  ];
  const pathsOf = (document: object): string[] =>
    Object.entries(document).flatMap(([field, value]) =>
      typeof value === 'object' && value !== null ? pathsOf(value).map((path) => `${field}.${path}`) : [field],
    );
  const sealed = documents.flatMap(([name, document]) =>
    pathsOf(document)
      .filter((path) => /(?:^|\.)sealed[^.]*$/.test(path))
      .map((path) => `${name}.${path}`),
  );
  expect(sealedFields.map(({ collection, field }) => `${collection.name}.${field}`)).toEqual(sealed);
});

function suite(open: () => Promise<{ records: Records; close(): Promise<void> }>): void {
  let records: Records;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ records, close } = await open());
    await fill(records);
  });
  afterEach(() => close());

  it('reseals everything with the new key, page by page, and changes nothing in a second run', async () => {
    expect(await opened(records, changing)).toEqual(everything);
    expect(await countSecrets({ records, sealer: changing })).toMatchObject({
      keys: [
        { key: { use: 'current' }, total: 0 },
        {
          key: { use: 'former' },
          total: everything.length,
          counts: {
            'addresses of files': 5,
            'callback secrets': 1,
            'credentials of connectors': 1,
            'signing keys of buckets': 1,
            'keys of certificates': 1,
            'secrets of webhooks': 2,
            'kept answers': 1,
            'keys of ACME accounts': 1,
            'secrets of storage credentials': 1,
            'second factors of users': 2,
          },
        },
      ],
      unopened: { total: 0, first: [] },
      formerAddresses: [{ connectorId: 'connector', organizationId: 'organization', at: 5 }],
    });
    expect(await reseal({ records, sealer: changing, log }, undefined, 2)).toEqual({
      resealed: everything.length,
      left: 0,
      unopened: 0,
    });
    expect(await opened(records, after)).toEqual(everything);
    expect((await records.collection(assets, systemScope).get('file-0'))?.version).toBe(8);
    expect((await records.collection(assets, systemScope).get('file-1'))?.version).toBe(7);
    expect((await records.collection(connectors, systemScope).get('connector'))?.version).toBe(3);
    expect((await records.collection(buckets, systemScope).get('bucket'))?.version).toBe(6);
    expect(await reseal({ records, sealer: changing, log })).toEqual({ resealed: 0, left: 0, unopened: 0 });
    expect((await countSecrets({ records, sealer: changing })).keys.map(({ total }) => total)).toEqual([
      everything.length,
      0,
    ]);
    // The key that made the address is no longer configured, so the address is invalid.
    expect((await countSecrets({ records, sealer: after })).formerAddresses).toEqual([]);
  });

  it('reseals each text once, also in several concurrent processes of which some are killed', async () => {
    let steps = 0;
    expect(await reseal({ records, sealer: changing, log }, () => (steps += 1) > 4)).toMatchObject({ left: 1 });
    expect((await countSecrets({ records, sealer: changing })).keys.map(({ total }) => total > 0)).toEqual([
      true,
      true,
    ]);
    expect(await opened(records, changing)).toEqual(everything);
    const rounds = await Promise.all([1, 2, 3].map(() => reseal({ records, sealer: changing, log }, undefined, 3)));
    const first = everything.length - rounds.reduce((sum, { resealed }) => sum + resealed, 0);
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(everything.length);
    expect(await opened(records, after)).toEqual(everything);
  });

  it('keeps concurrent writes of clients', async () => {
    const given = before.seal('https://a.example/given?sig=2', accessContext('file-2'));
    const busy: Records = {
      ...records,
      collection: (definition, scope) => {
        const inner = records.collection(definition, scope);
        const update: typeof inner.update = async (id, filter, change) => {
          if (id === 'file-2') await inner.update(id, {}, { set: { sealedAccess: given } });
          return inner.update(id, filter, change);
        };
        return { ...inner, update };
      },
    };
    expect(await reseal({ records: busy, sealer: changing, log })).toEqual({
      resealed: everything.length - 1,
      left: 1,
      unopened: 0,
    });
    expect(await reseal({ records, sealer: changing, log })).toEqual({ resealed: 1, left: 0, unopened: 0 });
    expect(await opened(records, after)).toEqual(
      everything.map((text) => (text.includes('/2?') ? 'https://a.example/given?sig=2' : text)),
    );
  });

  it('reports texts that no key opens and leaves them unchanged', async () => {
    const stranger = sealer(newKey, systemRuntime, { former: [randomBytes(32)] });
    expect(await reseal({ records, sealer: stranger, log })).toEqual({
      resealed: 0,
      left: 0,
      unopened: everything.length,
    });
    const { unopened } = await countSecrets({ records, sealer: stranger });
    expect(unopened).toEqual({
      total: everything.length,
      first: expect.arrayContaining([
        { what: 'addresses of files', id: 'file-0' },
        { what: 'credentials of connectors', id: 'connector' },
      ]),
    });
    expect(await opened(records, before)).toEqual(everything);
  });
}

describe('secrets in embedded records', () =>
  suite(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-reseal-'));
    const records = await openSqliteRecords({
      folder,
      runtime: systemRuntime,
      onBroken: (error) => {
        throw error;
      },
    });
    return {
      records,
      close: async () => {
        await records.close();
        rmSync(folder, { recursive: true });
      },
    };
  }));

await describeWithServers('secrets in MongoDB', ['mongo'], ({ mongo }) =>
  suite(async () => {
    const records = await openMongoRecords({
      url: mongo.url,
      database: `reseal_${randomBytes(4).toString('hex')}`,
      runtime: systemRuntime,
    });
    return { records, close: () => records.close() };
  }),
);
