import { randomUUID } from 'node:crypto';
import type { BucketView } from '../../models/bucket.ts';
import type { LibraryView } from '../../models/video.ts';
import {
  content,
  expectRefused,
  until,
  type Answer,
  type Client,
  type ErrorBody,
  type Expected,
} from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, createLibrary, createVideo } from './support/storage.ts';

const path = `${content}/libraries`;

let program: TestProgram;
let admin: Client;
beforeAll(async () => {
  program = await startTestProgram();
  ({ admin } = program);
});
afterAll(() => program.end());

function ask(body: object, client = admin): Promise<Answer<ErrorBody>> {
  return client.ask('POST', path, { body, headers: { 'Idempotency-Key': randomUUID() } });
}
const read = (id: string): Promise<LibraryView> => admin.get(200, 'GET', `${path}/${id}`);
const patch = (id: string, body: object): Promise<LibraryView> => admin.get(200, 'PATCH', `${path}/${id}`, { body });

describe('a video library', () => {
  it('is a private bucket that takes videos only', async () => {
    const library = await createLibrary(admin);
    const bucket = await admin.get<BucketView>(200, 'GET', `${content}/buckets/${library.id}`);
    expect(bucket).toMatchObject({
      kind: 'video',
      visibility: 'private',
      state: 'active',
      uploadRules: { maxObjectBytes: null, allowedTypes: ['video/*'], allowOverwrite: false },
    });
    expect(bucket.delivery.linkTtlSeconds).toBe(14_400);
    expect(library).toEqual({
      ...bucket,
      processing: { ladder: [360, 720, 1080], keepOriginal: true, download: false, thumbnails: true },
      processingOrigins: { ladder: 'default', keepOriginal: 'default', download: 'default', thumbnails: 'default' },
      usesOrganizationProcessing: true,
      videoCount: 0,
    });
    expect(await admin.get(200, 'GET', `${content}/buckets/${library.id}/signing-profile`)).toMatchObject({
      scheme: 'pl1',
      directoryScheme: 'pl1d',
      pathTokens: true,
      tagsEnabled: false,
      defaultTtlSeconds: 14_400,
    });
    const { items } = await admin.get<{ items: LibraryView[] }>(200, 'GET', path);
    expect(items.map(({ id }) => id)).toContain(library.id);
    const { items: buckets } = await admin.get<{ items: BucketView[] }>(200, 'GET', `${content}/buckets`);
    expect(buckets.map(({ id }) => id)).toContain(library.id);
  });

  it('has settings of its own from the start', async () => {
    const library = await createLibrary(admin, {
      region: 'eu-central',
      delivery: { allowedDomains: ['Example.COM'], linkTtlSeconds: 60 },
      processing: { ladder: [1080, 240], download: true },
      maxObjectBytes: 1000,
    });
    expect(library).toMatchObject({
      delivery: { allowedDomains: ['example.com'], linkTtlSeconds: 60 },
      uploadRules: { maxObjectBytes: 1000 },
      processing: { ladder: [240, 1080], keepOriginal: true, download: true, thumbnails: true },
      processingOrigins: { ladder: 'library', keepOriginal: 'default', download: 'library', thumbnails: 'default' },
      usesOrganizationProcessing: false,
    });
    expect(await admin.get(200, 'GET', `${content}/buckets/${library.id}/signing-profile`)).toMatchObject({
      directoryScheme: 'ps3',
    });
  });

  it.each<[string, object, Expected]>([
    ['no region', { name: 'abc' }, [422, 'validation_error', ['body', 'region']]],
    ['no name', { region: 'in-west' }, [422, 'validation_error', ['body', 'name']]],
    ['an unknown region', { name: 'abc', region: 'moon' }, [422, 'region_not_available']],
    ['a visibility', { visibility: 'private' }, [422, 'validation_error', ['body', 'visibility']]],
    ['upload rules', { uploadRules: {} }, [422, 'validation_error', ['body', 'uploadRules']]],
    ['no delivery', { delivery: null }, [422, 'validation_error', ['body', 'delivery']]],
    [
      'a short link',
      { delivery: { linkTtlSeconds: 59 } },
      [422, 'validation_error', ['body', 'delivery', 'linkTtlSeconds']],
    ],
    [
      'a bad domain',
      { delivery: { allowedDomains: ['a', 'b/'] } },
      [422, 'validation_error', ['body', 'delivery', 'allowedDomains', 1]],
    ],
    [
      'a bad height',
      { processing: { ladder: [240, 241] } },
      [422, 'validation_error', ['body', 'processing', 'ladder', 1]],
    ],
    [
      'a repeated height',
      { processing: { ladder: [240, 240] } },
      [422, 'validation_error', ['body', 'processing', 'ladder']],
    ],
    ['no height', { processing: { ladder: [] } }, [422, 'validation_error', ['body', 'processing', 'ladder']]],
    [
      'null in processing',
      { processing: { download: null } },
      [422, 'validation_error', ['body', 'processing', 'download']],
    ],
    ['an unknown setting', { processing: { codec: 'x' } }, [422, 'validation_error', ['body', 'processing', 'codec']]],
    ['no bytes', { maxObjectBytes: 0 }, [422, 'validation_error', ['body', 'maxObjectBytes']]],
  ])('is refused with %s', async (_, fields, expected) => {
    const base = 'region' in fields || 'name' in fields ? {} : { name: 'abc', region: 'in-west' };
    expectRefused(await ask({ ...base, ...fields }), expected);
  });

  it('needs an admin key and an Idempotency-Key', async () => {
    const body = { name: `l-${randomUUID()}`, region: 'in-west' };
    expectRefused(await ask(body, program.standard), [403, 'admin_key_required']);
    expectRefused(await admin.ask('POST', path, { body }), [400, 'idempotency_key_required']);
    const { id } = await createLibrary(admin);
    for (const method of ['PATCH', 'DELETE'])
      expectRefused(await program.standard.ask(method, `${path}/${id}`, method === 'PATCH' ? { body: {} } : {}), [
        403,
        'admin_key_required',
      ]);
    expect(await program.standard.get(200, 'GET', `${path}/${id}`)).toMatchObject({ id });
  });

  it('is not found under the id of a files bucket', async () => {
    const { id } = await createBucket(admin);
    for (const [method, suffix, body] of [
      ['GET', '', undefined],
      ['PATCH', '', {}],
      ['DELETE', '', undefined],
      ['GET', '/videos', undefined],
    ] as const)
      expectRefused(await admin.ask(method, `${path}/${id}${suffix}`, body === undefined ? {} : { body }), [
        404,
        'library_not_found',
      ]);
    expect(await admin.get(200, 'GET', `${content}/buckets/${id}`)).toMatchObject({ state: 'active' });
  });

  it('follows the organization in what it does not set itself', async () => {
    const child = admin.as((await admin.createOrganization('Films')).id);
    const { id } = await createLibrary(child);
    const processing = async (): Promise<unknown> => {
      const library = await child.get<LibraryView>(200, 'GET', `${path}/${id}`);
      return [library.processing, library.processingOrigins, library.usesOrganizationProcessing];
    };
    const change = (client: Client, videoDefaults: object | null): Promise<unknown> =>
      client.get(200, 'PATCH', `${content}/settings`, { body: { videoDefaults } });
    await change(admin, { ladder: [480], download: true });
    await change(child, { keepOriginal: false, download: false });
    expect(await processing()).toEqual([
      { ladder: [480], keepOriginal: false, download: false, thumbnails: true },
      { ladder: 'parent', keepOriginal: 'organization', download: 'organization', thumbnails: 'default' },
      true,
    ]);
    await child.get(200, 'PATCH', `${path}/${id}`, { body: { processing: { thumbnails: false } } });
    await child.get(200, 'PATCH', `${path}/${id}`, { body: { processing: { ladder: [720] } } });
    expect(await processing()).toEqual([
      { ladder: [720], keepOriginal: false, download: false, thumbnails: false },
      { ladder: 'library', keepOriginal: 'organization', download: 'organization', thumbnails: 'library' },
      false,
    ]);
    await child.get(200, 'PATCH', `${path}/${id}`, { body: { processing: null } });
    await change(admin, null);
    await change(child, null);
    expect(await processing()).toEqual([
      { ladder: [360, 720, 1080], keepOriginal: true, download: false, thumbnails: true },
      { ladder: 'default', keepOriginal: 'default', download: 'default', thumbnails: 'default' },
      true,
    ]);
  });

  it('changes by either route', async () => {
    const { id } = await createLibrary(admin, { maxObjectBytes: 5, delivery: { linkTtlSeconds: 60 } });
    const before = await read(id);
    expect(await patch(id, {})).toEqual(before);
    expect(await patch(id, { delivery: { linkTtlSeconds: null }, maxObjectBytes: null })).toMatchObject({
      delivery: { linkTtlSeconds: 14_400 },
      uploadRules: { maxObjectBytes: null },
    });
    const bucket = `${content}/buckets/${id}`;
    expect(
      await admin.get(200, 'PATCH', bucket, {
        body: { uploadRules: { maxObjectBytes: 7 }, cors: { allowedOrigins: ['*'] }, delivery: { linkTtlSeconds: 61 } },
      }),
    ).toMatchObject({
      uploadRules: { maxObjectBytes: 7, allowedTypes: ['video/*'] },
      delivery: { linkTtlSeconds: 61 },
    });
    for (const [body, field] of [
      [{ visibility: 'private' }, ['visibility']],
      [{ uploadRules: { allowedTypes: ['video/*'] } }, ['uploadRules', 'allowedTypes']],
      [{ uploadRules: { allowOverwrite: false } }, ['uploadRules', 'allowOverwrite']],
    ] as const)
      expectRefused(await admin.ask('PATCH', bucket, { body }), [422, 'validation_error', ['body', ...field]]);
    expectRefused(await admin.ask('PATCH', `${path}/${id}`, { body: { cors: {} } }), [
      422,
      'validation_error',
      ['body', 'cors'],
    ]);
  });

  it('is deleted with its videos, and restored with them', async () => {
    const { id } = await createLibrary(admin);
    const video = await createVideo(program.standard, id);
    expect(await read(id)).toMatchObject({ videoCount: 1 });
    const deleting = await admin.get<LibraryView>(202, 'DELETE', `${path}/${id}`);
    expect(deleting).toMatchObject({ id, kind: 'video', state: 'deleting' });
    expectRefused(await admin.ask('GET', `${content}/videos/${video.id}`), [404, 'video_not_found']);
    expect(await admin.get(200, 'GET', `${path}/${id}/videos`)).toEqual({ items: [], nextCursor: null });
    await until(
      () => read(id),
      ({ state }) => state === 'deleted',
    );
    expect(await admin.get(202, 'DELETE', `${path}/${id}`)).toMatchObject({ state: 'deleted' });
    expect(await admin.get(200, 'POST', `${content}/buckets/${id}/restore`)).toMatchObject({ state: 'active' });
    expect(await admin.get(200, 'GET', `${content}/videos/${video.id}`)).toMatchObject({
      status: 'failed',
      errorCode: 'upload_abandoned',
    });
  });
});
