import type { Accepted } from '../../models/api.ts';
import { content, expectRefused, registration, type Expected, type Registration } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function some(): { sourceUrl: string; sourceVersion: string } {
  return program.source.put('some.txt', 'nothing of interest');
}

/** Fields of a request, valid or not; an undefined one is omitted. */
type Fields = { [field: string]: unknown };

async function refused(fields: Fields, expected: Expected): Promise<void> {
  const body = Object.fromEntries(
    Object.entries({ ...registration(some()), ...fields }).filter(([, value]) => value !== undefined),
  );
  expectRefused(await program.standard.ask('POST', `${content}/assets`, { body }), expected);
}

function accepted(fields: Partial<Registration>): Promise<Accepted> {
  return program.standard.register({ ...some(), ...fields });
}

describe('registration', () => {
  it('returns 202 with exactly three fields', async () => {
    const answer = await accepted({});
    expect(answer).toEqual({ assetId: expect.stringMatching(uuid), jobId: expect.stringMatching(uuid), revision: 1 });
  });

  it('creates an asset with exactly the documented fields and defaults', async () => {
    const reference = program.source.hold('held.txt', 'held back');
    const { assetId, jobId } = await program.standard.register({
      externalId: 'defaults',
      filename: 'Held.TXT',
      ...reference,
    });
    const asset = await program.standard.asset(assetId);
    reference.release();
    expect(asset).toEqual({
      assetId,
      externalId: 'defaults',
      filename: 'Held.TXT',
      kind: 'document',
      sourceUrl: reference.sourceUrl,
      sourceVersion: reference.sourceVersion,
      state: 'indexing',
      activeRevision: null,
      latestRevision: 1,
      revisionState: 'indexing',
      language: 'multi',
      audioTrack: null,
      collections: [],
      callbackKey: null,
      contentSha256: null,
      connectorId: null,
      connectorName: null,
      bucketId: null,
      sourceAccessMode: null,
      sourceMissingSince: null,
      metadata: {},
      aclMode: 'open',
      extractContentFromVideoFrames: null,
      latestJob: {
        jobId,
        state: expect.stringMatching(/^(queued|extracting)$/),
        stage: 'extracting',
        progress: expect.any(Number),
        errorCode: null,
        attempt: 1,
        updatedAt: expect.stringMatching(instant),
      },
      createdAt: expect.stringMatching(instant),
      updatedAt: expect.stringMatching(instant),
      warnings: [],
    });
  });

  it('keeps every field that is sent', async () => {
    const digest = 'ABCDEF0123456789'.repeat(4);
    const metadata = { course: 'Biology', year: 2024, open: true, tags: ['cell', 1, false], empty: '', none: [] };
    const reference = some();
    const { assetId } = await accepted({
      ...reference,
      language: 'de-CH',
      audioTrack: 15,
      metadata,
      principals: ['b', 'a', 'b'],
      contentSha256: digest,
      extractContentFromVideoFrames: true,
      sourceAccess: { url: `${reference.sourceUrl}?sig=abc` },
    });
    expect(await program.standard.asset(assetId)).toMatchObject({
      language: 'de-CH',
      audioTrack: 15,
      metadata,
      aclMode: 'restricted',
      contentSha256: digest.toLowerCase(),
      extractContentFromVideoFrames: true,
      sourceAccessMode: 'stored',
      sourceUrl: reference.sourceUrl,
    });
    expect(await program.standard.get(200, 'GET', `${content}/assets/${assetId}/permissions`)).toEqual({
      assetId,
      mode: 'restricted',
      principals: ['b', 'a'],
    });
  });

  it('accepts empty lists of principals and collections', async () => {
    const { assetId } = await accepted({ principals: [], collections: [], extractContentFromVideoFrames: null });
    expect(await program.standard.asset(assetId)).toMatchObject({
      aclMode: 'open',
      collections: [],
      extractContentFromVideoFrames: null,
    });
  });
});

describe('limits of a registration', () => {
  const emoji = '\u{1f600}';
  it.each<[string, Partial<Registration>]>([
    ['externalId of one character', { externalId: 'é' }],
    ['externalId of 512 code points', { externalId: emoji.repeat(512) }],
    ['filename of 255 code points', { filename: `${emoji.repeat(251)}.txt` }],
    ['sourceVersion of 512 characters', { sourceVersion: `"${'v'.repeat(510)}"` }],
    ['language of 16 characters', { language: 'x'.repeat(16) }],
    ['audioTrack 0', { audioTrack: 0 }],
    ['5,000 principals', { principals: Array.from({ length: 5000 }, (_, index) => `principal-${index}`) }],
    ['a principal of 512 code points', { principals: [emoji.repeat(512)] }],
    [
      'metadata of 50 keys',
      { metadata: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, index])) },
    ],
    ['a metadata key of 128 and a value of 512 code points', { metadata: { [emoji.repeat(128)]: emoji.repeat(512) } }],
    ['a metadata list of 100', { metadata: { list: Array.from({ length: 100 }, String) } }],
  ])('accepts %s', async (_, fields) => {
    expect(await accepted({ externalId: `limit ${_}`, ...fields })).toMatchObject({ revision: 1 });
  });

  it.each<[string, Fields, (string | number)[]]>([
    ['no externalId', { externalId: undefined }, ['externalId']],
    ['an empty externalId', { externalId: '' }, ['externalId']],
    ['an externalId of 513 characters', { externalId: 'x'.repeat(513) }, ['externalId']],
    ['a number as externalId', { externalId: 7 }, ['externalId']],
    ['NUL', { externalId: 'a\0b' }, ['externalId']],
    ['half of a surrogate pair', { externalId: 'a\ud800' }, ['externalId']],
    ['no filename', { filename: undefined }, ['filename']],
    ['an empty filename', { filename: '' }, ['filename']],
    ['a filename of 256 characters', { filename: `${'x'.repeat(252)}.txt` }, ['filename']],
    ['an extension that nothing reads', { filename: 'a.doc' }, ['filename']],
    ['no extension', { filename: 'txt' }, ['filename']],
    ['an extension of another kind', { filename: 'a.txt', kind: 'video' }, ['filename']],
    ['no kind', { kind: undefined }, ['kind']],
    ['an unknown kind', { kind: 'picture' }, ['kind']],
    ['no sourceUrl', { sourceUrl: undefined }, ['sourceUrl']],
    ['a sourceUrl that is none', { sourceUrl: 'some.txt' }, ['sourceUrl']],
    ['another scheme', { sourceUrl: 'ftp://127.0.0.1/a.txt' }, ['sourceUrl']],
    ['a fragment', { sourceUrl: 'http://127.0.0.1/a.txt#part' }, ['sourceUrl']],
    [
      'a sourceUrl of more than 4096 characters',
      { sourceUrl: `http://127.0.0.1/${'x'.repeat(4090)}.txt` },
      ['sourceUrl'],
    ],
    ['no sourceVersion', { sourceVersion: undefined }, ['sourceVersion']],
    ['a sourceVersion of 513 characters', { sourceVersion: 'x'.repeat(513) }, ['sourceVersion']],
    ['a sourceAccess that is no object', { sourceAccess: 'http://127.0.0.1' }, ['sourceAccess']],
    ['a sourceAccess without url', { sourceAccess: { sasToken: 'x' } }, ['sourceAccess', 'url']],
    [
      'a sourceAccess with another field',
      { sourceAccess: { url: 'http://127.0.0.1/a.txt', key: 'x' } },
      ['sourceAccess', 'key'],
    ],
    ['a language of 17 characters', { language: 'x'.repeat(17) }, ['language']],
    ['audioTrack 16', { audioTrack: 16 }, ['audioTrack']],
    ['audioTrack -1', { audioTrack: -1 }, ['audioTrack']],
    ['half an audioTrack', { audioTrack: 0.5 }, ['audioTrack']],
    ['an audioTrack in words', { audioTrack: '1' }, ['audioTrack']],
    [
      'metadata of 51 keys',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, index])) },
      ['metadata'],
    ],
    ['a metadata key of 129 characters', { metadata: { ['k'.repeat(129)]: 1 } }, ['metadata', 'k'.repeat(129)]],
    ['an empty metadata key', { metadata: { '': 1 } }, ['metadata', '']],
    ['a metadata value of 513 characters', { metadata: { long: 'x'.repeat(513) } }, ['metadata', 'long']],
    ['null in metadata', { metadata: { none: null } }, ['metadata', 'none']],
    ['an object in metadata', { metadata: { inner: {} } }, ['metadata', 'inner']],
    ['a metadata list of 101', { metadata: { list: Array.from({ length: 101 }, String) } }, ['metadata', 'list']],
    ['a list in a metadata list', { metadata: { list: ['a', ['b']] } }, ['metadata', 'list', 1]],
    ['101 collections', { collections: Array.from({ length: 101 }, String) }, ['collections']],
    ['5,001 principals', { principals: Array.from({ length: 5001 }, String) }, ['principals']],
    ['an empty principal', { principals: ['a', ''] }, ['principals', 1]],
    ['a principal of 513 characters', { principals: ['x'.repeat(513)] }, ['principals', 0]],
    ['a contentSha256 of 63 characters', { contentSha256: 'a'.repeat(63) }, ['contentSha256']],
    ['a contentSha256 that is not hexadecimal', { contentSha256: 'g'.repeat(64) }, ['contentSha256']],
    [
      'extractContentFromVideoFrames in words',
      { extractContentFromVideoFrames: 'yes' },
      ['extractContentFromVideoFrames'],
    ],
    ['an unknown field', { colour: 'red' }, ['colour']],
    ['the first of several faults', { audioTrack: 99, kind: 'picture', language: 7 }, ['kind']],
  ])('%s is refused with its path', async (_, fields, path) => {
    await refused(fields, [422, 'validation_error', ['body', ...path]]);
  });
});

describe('addresses and references of a registration', () => {
  const at = (query: string): { sourceUrl: string } => ({ sourceUrl: `http://127.0.0.1:9/a.txt?${query}` });
  it.each([
    'X-Amz-Signature=1',
    'x-goog-signature=1',
    'SIG=1',
    'se=1&sp=r',
    'Signature=1',
    'token=1',
    'access_token=1',
    'AWSAccessKeyId=1',
    '%73ig=1',
  ])('%s counts as a signature', async (query) => {
    await refused(at(query), [400, 'source_url_must_be_unsigned']);
  });

  it('user information counts as a signature', async () => {
    await refused({ sourceUrl: 'http://user:secret@127.0.0.1/a.txt' }, [400, 'source_url_must_be_unsigned']);
  });

  it('a query without a credential is accepted', async () => {
    expect(await accepted(at('version=3&se=1&page=2'))).toMatchObject({ revision: 1 });
  });

  it.each<[string, { url: string; sasToken?: string }, Expected]>([
    ['another path', { url: 'http://127.0.0.1:9/b.txt?sig=1' }, [400, 'source_access_mismatch']],
    ['another port', { url: 'http://127.0.0.1:8/a.txt?sig=1' }, [400, 'source_access_mismatch']],
    ['another scheme', { url: 'https://127.0.0.1:9/a.txt?sig=1' }, [400, 'source_access_mismatch']],
    ['user information', { url: 'http://u:p@127.0.0.1:9/a.txt' }, [400, 'source_access_mismatch']],
    [
      'a signed url together with a token',
      { url: 'http://127.0.0.1:9/a.txt?sig=1', sasToken: 'sig=2' },
      [400, 'ambiguous_source_credentials'],
    ],
  ])('sourceAccess with %s is refused', async (_, sourceAccess, expected) => {
    await refused({ sourceUrl: 'http://127.0.0.1:9/a.txt', sourceAccess }, expected);
  });

  it('the given access is used, and not shown', async () => {
    const reference = program.source.put('signed.txt', 'signed words');
    const { assetId } = await program.standard.indexed({
      ...reference,
      sourceAccess: { url: reference.sourceUrl, sasToken: '?sig=geheim&se=2' },
    });
    expect(program.source.targets).toContain('/signed.txt?sig=geheim&se=2');
    expect(JSON.stringify(await program.standard.asset(assetId))).not.toContain('geheim');
  });

  it('an unknown collection is refused', async () => {
    await refused({ collections: ['nowhere'] }, [400, 'collection_not_found']);
  });

  it('a callbackKey is refused if no callback is configured', async () => {
    await refused({ callbackKey: 'k' }, [400, 'callback_not_configured']);
  });
});

describe('the body of a registration', () => {
  it.each<[string, string | null, string, Expected]>([
    ['no body', null, '', [422, 'validation_error', ['body']]],
    ['a list', 'application/json', '[]', [422, 'validation_error', ['body']]],
    ['null', 'application/json', 'null', [422, 'validation_error', ['body']]],
    ['broken JSON', 'application/json', '{"externalId":', [422, 'validation_error', ['body']]],
    ['another type', 'text/plain', '{}', [415, 'unsupported_media_type']],
    ['another charset', 'application/json; charset=latin1', '{}', [415, 'unsupported_media_type']],
    ['a key in it', 'application/json', '{"apiKey":"x","colour":1}', [401, 'api_key_required']],
    ['an empty object', 'application/json', '{}', [422, 'validation_error', ['body', 'externalId']]],
  ])('responds to %s with the documented status', async (_, type, body, expected) => {
    const answer = await program.standard.ask('POST', `${content}/assets`, body === '' ? {} : { raw: { type, body } });
    expectRefused(answer, expected);
  });

  it('that is not UTF-8 is refused', async () => {
    const bytes = Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expectRefused(
      await program.standard.ask('POST', `${content}/assets`, { raw: { type: 'application/json', body: bytes } }),
      [422, 'validation_error', ['body']],
    );
  });

  it('a key named __proto__ is refused', async () => {
    const answer = await program.standard.ask('POST', `${content}/assets`, {
      raw: { type: 'application/json', body: '{"__proto__":{"externalId":"x"}}' },
    });
    expectRefused(answer, [422, 'validation_error', ['body', 'externalId']]);
  });
});
