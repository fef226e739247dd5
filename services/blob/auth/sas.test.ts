import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  BlobSASPermissions,
  ContainerSASPermissions,
  SASProtocol,
  StorageSharedKeyCredential,
  generateAccountSASQueryParameters,
  generateBlobSASQueryParameters,
} from '@azure/storage-blob';
import { readAddress, type BlobAddress } from '../protocol/address.ts';
import { Fault } from '../protocol/faults.ts';
import { checkTerms, isVersion, readSas, type RequestOrigin } from './sas.ts';
import { isSignedBy } from './shared-key.ts';

const key = Buffer.alloc(64, 7).toString('base64');
const other = Buffer.alloc(64, 8).toString('base64');
const credential = new StorageSharedKeyCredential('acme', key);
const startsOn = new Date('2030-01-01T00:00:00Z');
const expiresOn = new Date('2030-01-02T00:00:00Z');
const origin: RequestOrigin = { now: startsOn.getTime(), address: '192.0.2.9', isSecure: false };
const addressOf = (path: string, search: string): BlobAddress =>
  readAddress({ url: `${path}?${search}`, headers: {} }, () => null);
const codeOf = (action: () => unknown): string | null => {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Fault ? error.code : 'another error';
  }
};
const versions = [
  ...['2015-04-05', '2015-12-11', '2018-03-28', '2018-11-09', '2019-12-12', '2020-10-02', '2020-12-06', '2022-11-02'],
  '2026-02-06',
];
/** An encryption scope, in the versions whose signatures have it. */
const scopeOf = (version: string): { encryptionScope?: string } =>
  version >= '2020-12-06' ? { encryptionScope: 'a-scope' } : {};

describe('a shared access signature as the SDK makes it', () => {
  it.each(versions)('is verified for a blob, version %s', (version) => {
    const search = generateBlobSASQueryParameters(
      {
        ...{ containerName: 'bucket', blobName: 'a b/ü.txt', startsOn, expiresOn, version, ...scopeOf(version) },
        permissions: BlobSASPermissions.parse('rcw'),
        ipRange: { start: '192.0.2.0', end: '192.0.2.255' },
        protocol: SASProtocol.HttpsAndHttp,
        ...{ cacheControl: 'no-store', contentDisposition: 'inline; filename="ü"', contentType: 'text/plain' },
        ...{ contentEncoding: 'gzip', contentLanguage: 'de' },
      },
      credential,
    ).toString();
    const address = addressOf('/acme/bucket/a%20b/%C3%BC.txt', search);
    const sas = readSas(address);
    expect(sas).toMatchObject({ kind: 'blob', version, permissions: new Set('rcw') });
    expect(isSignedBy([sas?.text ?? ''], key, sas?.signature ?? '')).toBe(true);
    expect(isSignedBy([sas?.text ?? ''], other, sas?.signature ?? '')).toBe(false);
    const elsewhere = readSas(addressOf('/acme/bucket/other.txt', search));
    expect(isSignedBy([elsewhere?.text ?? ''], key, elsewhere?.signature ?? '')).toBe(false);
    const widened = readSas(addressOf('/acme/bucket/a%20b/%C3%BC.txt', search.replace('sp=rcw', 'sp=rcwd')));
    expect(isSignedBy([widened?.text ?? ''], key, widened?.signature ?? '')).toBe(false);
  });

  it.each(versions)('is verified for a container, version %s', (version) => {
    const search = generateBlobSASQueryParameters(
      { containerName: 'bucket', expiresOn, version, permissions: ContainerSASPermissions.parse('rl') },
      credential,
    ).toString();
    for (const path of ['/acme/bucket', '/acme/bucket/any/blob']) {
      const sas = readSas(addressOf(path, search));
      expect(sas).toMatchObject({ kind: 'container', version });
      expect(isSignedBy([sas?.text ?? ''], key, sas?.signature ?? '')).toBe(true);
    }
    const elsewhere = readSas(addressOf('/acme/other/blob', search));
    expect(isSignedBy([elsewhere?.text ?? ''], key, elsewhere?.signature ?? '')).toBe(false);
  });

  it.each(versions)('is verified for an account, version %s', (version) => {
    const search = generateAccountSASQueryParameters(
      {
        ...{ startsOn, expiresOn, version, ...scopeOf(version) },
        permissions: AccountSASPermissions.parse('rwl'),
        resourceTypes: AccountSASResourceTypes.parse('sco').toString(),
        services: AccountSASServices.parse('b').toString(),
      },
      credential,
    ).toString();
    const sas = readSas(addressOf('/acme/bucket/blob', search));
    expect(sas).toMatchObject({ kind: 'account', resourceTypes: new Set('sco'), version });
    expect(isSignedBy([sas?.text ?? ''], key, sas?.signature ?? '')).toBe(true);
  });
});

describe('the text that a signature is over', () => {
  const terms = 'st=2030-01-01&se=2030-01-02&sip=192.0.2.9&spr=https&ses=a-scope&sig=x';
  const headers = 'rscc=no-store&rscd=inline&rsce=gzip&rscl=de&rsct=text/plain';
  const overriding = ['no-store', 'inline', 'gzip', 'de', 'text/plain'];

  it.each<[version: string, text: (string | string[])[]]>([
    ['2015-02-21', ['', '2015-02-21', overriding]],
    ['2015-04-05', ['', '192.0.2.9', 'https', '2015-04-05', overriding]],
    ['2015-12-11', ['', '192.0.2.9', 'https', '2015-12-11', overriding]],
    ['2018-03-28', ['', '192.0.2.9', 'https', '2018-03-28', overriding]],
    ['2018-11-09', ['', '192.0.2.9', 'https', '2018-11-09', 'b', '', overriding]],
    ['2019-12-12', ['', '192.0.2.9', 'https', '2019-12-12', 'b', '', overriding]],
    ['2020-10-02', ['', '192.0.2.9', 'https', '2020-10-02', 'b', '', overriding]],
    ['2020-12-06', ['', '192.0.2.9', 'https', '2020-12-06', 'b', '', 'a-scope', overriding]],
    ['2022-11-02', ['', '192.0.2.9', 'https', '2022-11-02', 'b', '', 'a-scope', overriding]],
  ])('of a blob, version %s', (version, rest) => {
    const search = `sv=${version}&sr=b&sp=rw&${terms}&${headers}`;
    expect(readSas(addressOf('/acme/bucket/a%20b', search))?.text).toBe(
      ['rw', '2030-01-01', '2030-01-02', '/blob/acme/bucket/a b', ...rest.flat()].join('\n'),
    );
  });

  it.each<[version: string, scope: string[]]>([
    ['2015-04-05', []],
    ['2015-12-11', []],
    ['2018-11-09', []],
    ['2019-12-12', []],
    ['2020-10-02', []],
    ['2020-12-06', ['a-scope']],
    ['2022-11-02', ['a-scope']],
  ])('of an account, version %s', (version, scope) => {
    const search = `sv=${version}&ss=b&srt=sco&sp=rw&${terms}`;
    const expected = [
      'acme',
      'rw',
      'b',
      'sco',
      '2030-01-01',
      '2030-01-02',
      '192.0.2.9',
      'https',
      version,
      ...scope,
      '',
    ];
    expect(readSas(addressOf('/acme/bucket/x', search))?.text).toBe(expected.join('\n'));
  });
});

describe('what a signature says', () => {
  const terms = (search: string, from: Partial<RequestOrigin> = {}): string | null =>
    codeOf(() => checkTerms(addressOf('/acme/bucket/x', search).query, { kind: 'account' }, { ...origin, ...from }));

  it.each([
    ['se=2030-01-02T00:00:00Z&ss=b', null],
    ['se=2030-01-02&ss=bq', null],
    ['st=2030-01-01T00:00Z&se=2030-01-02T00:00Z&ss=b', null],
    ['se=2030-01-01T00:00:00Z&ss=b', 'AuthenticationFailed'],
    ['st=2030-01-01T00:00:01Z&se=2030-01-02&ss=b', 'AuthenticationFailed'],
    ['se=tomorrow&ss=b', 'AuthenticationFailed'],
    ['se=2030-01-02&ss=q', 'AuthorizationServiceMismatch'],
    ['se=2030-01-02&ss=b&spr=https', 'AuthorizationProtocolMismatch'],
    ['se=2030-01-02&ss=b&spr=https,http', null],
    ['se=2030-01-02&ss=b&sip=192.0.2.9', null],
    ['se=2030-01-02&ss=b&sip=192.0.2.8-192.0.2.10', null],
    ['se=2030-01-02&ss=b&sip=192.0.2.10-192.0.2.12', 'AuthorizationSourceIPMismatch'],
    ['se=2030-01-02&ss=b&sip=everywhere', 'AuthorizationSourceIPMismatch'],
  ])('%s: %s', (search, code) => {
    expect(terms(search)).toBe(code);
  });

  it('allows TLS where it asks for it', () => {
    expect(terms('se=2030-01-02&ss=b&spr=https', { isSecure: true })).toBeNull();
  });

  it.each([
    ['/acme/b/x', 'sig=a'],
    ['/acme/b/x', 'sig=a&sv=2014-02-14&sp=r&se=2030-01-02&sr=b'],
    ['/acme/b/x', 'sig=a&sv=2020-12-06&sp=&se=2030-01-02&sr=b'],
    ['/acme/b/x', 'sig=a&sv=2020-12-06&sp=r&sr=b'],
    ['/acme/b/x', 'sig=a&sv=2020-12-06&sp=r&se=2030-01-02&sr=d'],
    ['/acme/b', 'sig=a&sv=2020-12-06&sp=r&se=2030-01-02&sr=b'],
    ['/acme/b/x', 'sig=a&sv=2020-12-06&sp=r&se=2030-01-02&sr=b&si=policy'],
    ['/acme/b/x', 'sig=a&sv=2020-12-06&sp=r&se=2030-01-02&sr=b&skoid=x'],
  ])('is not authentication: %s?%s', (path, search) => {
    expect(codeOf(() => readSas(addressOf(path, search)))).toBe('AuthenticationFailed');
  });

  it('speaks each version since 2015-02-21', () => {
    expect(['2015-02-21', '2026-04-06', '2099-01-01'].map(isVersion)).toEqual([true, true, true]);
    expect(['2015-02-20', '2009-09-19', '2026', ''].map(isVersion)).toEqual([false, false, false, false]);
  });
});
