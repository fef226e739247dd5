import { randomUUID } from 'node:crypto';
import type { CompletedView } from '../../models/storage-object.ts';
import type { FreshUploadView } from '../../models/upload.ts';
import type { NewVideoView, VideoView } from '../../models/video.ts';
import { content, expectRefused, until, type Client, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createLibrary, createVideo, sendPart } from './support/storage.ts';

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let program: TestProgram;
let client: Client;
let libraryId: string;
beforeAll(async () => {
  program = await startTestProgram();
  client = program.standard;
  libraryId = (await createLibrary(program.admin)).id;
});
afterAll(() => program.end());

const read = (id: string): Promise<VideoView> => client.get(200, 'GET', `${content}/videos/${id}`);
interface Page {
  items: VideoView[];
  nextCursor: string | null;
}

describe('a video', () => {
  it('begins with the upload of its source', async () => {
    const made = await createVideo(client, libraryId, {
      size: 9_000_000,
      contentType: 'video/quicktime',
      fileName: 'Holiday film.MOV',
      metadata: { place: 'sea', year: 2031, public: false },
    });
    const { upload, ...video } = made;
    const key = `sources/${made.id}.mov`;
    expect(video).toEqual({
      id: made.id,
      libraryId,
      title: 'Holiday film',
      status: 'uploading',
      errorCode: null,
      durationSeconds: null,
      width: null,
      height: null,
      hasAudio: null,
      renditions: [],
      captions: [],
      poster: false,
      thumbnails: false,
      download: false,
      encoding: null,
      sourceKey: key,
      originalKept: false,
      storedBytes: 0,
      encodingMinutes: null,
      disabled: false,
      metadata: { place: 'sea', year: 2031, public: false },
      uploadId: upload.id,
      createdAt: expect.stringMatching(instant),
      updatedAt: made.createdAt,
      playableAt: null,
      readyAt: null,
    });
    expect(upload).toMatchObject({ bucketId: libraryId, key, state: 'open', videoId: made.id, partCount: 2 });
    expect(await read(made.id)).toEqual(video);
    expect(await client.get(200, 'GET', `${content}/uploads/${upload.id}`)).toMatchObject({ videoId: made.id });
  });

  it.each<[string, object, { title: string; extension: string }]>([
    ['a title', { title: 'Mine', fileName: 'a.mkv' }, { title: 'Mine', extension: '.mkv' }],
    ['a file name', { fileName: 'a.b.c' }, { title: 'a.b', extension: '.c' }],
    ['a name without an extension', { fileName: 'film' }, { title: 'film', extension: '.mp4' }],
    ['a long ending', { fileName: 'a.abcdefghijk' }, { title: 'a.abcdefghijk', extension: '.mp4' }],
    ['a type alone', { contentType: 'video/webm; codecs="vp9,opus"' }, { title: '', extension: '.webm' }],
    ['a type without an extension', { contentType: 'video/ogg' }, { title: '', extension: '' }],
  ])('is named by %s', async (_, fields, { title, extension }) => {
    const made = await createVideo(client, libraryId, fields);
    expect([made.title, made.sourceKey]).toEqual([title === '' ? made.id : title, `sources/${made.id}${extension}`]);
  });

  it.each<[string, object, Expected]>([
    ['no size', { size: undefined }, [422, 'validation_error', ['body', 'size']]],
    ['no bytes', { size: 0 }, [422, 'validation_error', ['body', 'size']]],
    ['another type', { contentType: 'audio/mp4' }, [422, 'validation_error', ['body', 'contentType']]],
    ['a capital in its type', { contentType: 'video/MP4' }, [422, 'validation_error', ['body', 'contentType']]],
    ['an empty title', { title: '' }, [422, 'validation_error', ['body', 'title']]],
    ['a long title', { title: 'x'.repeat(201) }, [422, 'validation_error', ['body', 'title']]],
    ['a long file name', { fileName: 'x'.repeat(201) }, [422, 'validation_error', ['body', 'fileName']]],
    ['a digest that is none', { sha256: 'x' }, [422, 'validation_error', ['body', 'sha256']]],
    ['null as metadata', { metadata: { a: null } }, [422, 'validation_error', ['body', 'metadata', 'a']]],
    ['much metadata', { metadata: { a: 'x'.repeat(8190) } }, [422, 'validation_error', ['body', 'metadata']]],
    ['an unknown field', { key: 'a' }, [422, 'validation_error', ['body', 'key']]],
  ])('is refused with %s', async (_, fields, expected) => {
    const answer = await client.ask('POST', `${content}/libraries/${libraryId}/videos`, {
      body: { size: 1, contentType: 'video/mp4', ...fields },
      headers: { 'Idempotency-Key': randomUUID() },
    });
    expectRefused(answer, expected);
  });

  it('is created once for an Idempotency-Key', async () => {
    const sent = { body: { size: 1, contentType: 'video/mp4' }, headers: { 'Idempotency-Key': randomUUID() } };
    const path = `${content}/libraries/${libraryId}/videos`;
    const first = await client.get<NewVideoView>(201, 'POST', path, sent);
    expect(await client.get(201, 'POST', path, sent)).toEqual(first);
    expectRefused(await client.ask('POST', path, { ...sent, headers: {} }), [400, 'idempotency_key_required']);
    expectRefused(await client.ask('POST', path, { ...sent, body: { ...sent.body, size: 2 } }), [
      409,
      'idempotency_conflict',
    ]);
  });

  it('is listed newest first, by status', async () => {
    const { id } = await createLibrary(program.admin);
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1) made.unshift((await createVideo(client, id)).id);
    const list = (query: string): Promise<Page> => client.get(200, 'GET', `${content}/libraries/${id}/videos${query}`);
    expect((await list('')).items.map((video) => video.id)).toEqual(made);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await list(`?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.items.map((video) => video.id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(made);
    expect((await list('?status=uploading&limit=200')).items).toHaveLength(5);
    expect(await list('?status=ready')).toEqual({ items: [], nextCursor: null });
    for (const [query, field] of [
      ['status=deleted', 'status'],
      ['limit=201', 'limit'],
      ['cursor=x', 'cursor'],
    ] as const)
      expectRefused(await client.ask('GET', `${content}/libraries/${id}/videos?${query}`), [
        422,
        'validation_error',
        ['query', field],
      ]);
  });

  it('takes another title and other metadata', async () => {
    const { id, upload, ...before } = await createVideo(client, libraryId, { title: 'One', metadata: { a: 1 } });
    const path = `${content}/videos/${id}`;
    expect(await client.get(200, 'PATCH', path, { body: {} })).toEqual({ id, ...before });
    expect(await client.get(200, 'PATCH', path, { body: { title: 'Two' } })).toMatchObject({
      title: 'Two',
      metadata: { a: 1 },
    });
    expect(await client.get(200, 'PATCH', path, { body: { metadata: { b: true } } })).toMatchObject({
      title: 'Two',
      metadata: { b: true },
      uploadId: upload.id,
    });
    for (const name of ['title', 'metadata'])
      expectRefused(await client.ask('PATCH', path, { body: { [name]: null } }), [
        422,
        'validation_error',
        ['body', name],
      ]);
  });

  it('waits for its turn once its source is there', async () => {
    const { id, upload } = await createVideo(client, libraryId, { size: 3 });
    await sendPart(upload.parts[0]?.url, Buffer.from('abc'));
    const object = await complete(upload.id);
    expect(object).toMatchObject({ videoId: id, key: `sources/${id}.mp4`, size: 3 });
    expect(await read(id)).toMatchObject({ originalKept: true, storedBytes: 3, sourceKey: object.key });
    expect((await read(id)).status).not.toBe('uploading');
    expect(await complete(upload.id)).toMatchObject({ id: object.id, videoId: id });
    for (const [method, body] of [
      ['PATCH', { metadata: {} }],
      ['DELETE', undefined],
    ] as const)
      expectRefused(await client.ask(method, `${content}/objects/${object.id}`, body === undefined ? {} : { body }), [
        409,
        'object_managed',
      ]);
    await client.get(202, 'DELETE', `${content}/videos/${id}`);
    await until(
      () => client.ask('GET', `${content}/objects/${object.id}`),
      ({ status }) => status === 404,
    );
  });

  it('is made of a file that is uploaded directly under sources/', async () => {
    const body = { key: 'sources/My clip.webm', size: 3, contentType: 'video/webm' };
    const upload = await client.get<FreshUploadView>(201, 'POST', `${content}/buckets/${libraryId}/uploads`, { body });
    expect(upload.videoId).toBeNull();
    await sendPart(upload.parts[0]?.url, Buffer.from('abc'));
    const { videoId = '' } = await complete(upload.id);
    expect(await read(videoId)).toMatchObject({ title: 'My clip', sourceKey: body.key, uploadId: upload.id });
    expect(await client.get(200, 'GET', `${content}/uploads/${upload.id}`)).toMatchObject({ videoId });
    for (const [fields, expected] of [
      [{ key: 'My clip.webm' }, [422, 'validation_error', ['body', 'key']]],
      [{ key: 'sources/a/b.webm' }, [422, 'validation_error', ['body', 'key']]],
      [{ key: 'videos/b.webm' }, [422, 'validation_error', ['body', 'key']]],
      [{ key: 'sources/b.png', contentType: 'image/png' }, [422, 'file_type_not_allowed']],
      [{}, [409, 'object_exists']],
    ] as [object, Expected][])
      expectRefused(
        await client.ask('POST', `${content}/buckets/${libraryId}/uploads`, { body: { ...body, ...fields } }),
        expected,
      );
  });

  it('fails where its source does not arrive, or has another digest', async () => {
    const abandoned = await createVideo(client, libraryId);
    await client.get(200, 'DELETE', `${content}/uploads/${abandoned.upload.id}`);
    expect(await read(abandoned.id)).toMatchObject({ status: 'failed', errorCode: 'upload_abandoned' });
    const other = await createVideo(client, libraryId, { size: 3, sha256: '0'.repeat(64) });
    await sendPart(other.upload.parts[0]?.url, Buffer.from('abc'));
    await complete(other.upload.id);
    const failed = await until(
      () => read(other.id),
      ({ status }) => status === 'failed',
    );
    expect(failed.errorCode).toBe('video_source_missing');
    for (const { id } of [abandoned, other]) await client.get(202, 'DELETE', `${content}/videos/${id}`);
  });

  it('is deleted with its upload', async () => {
    const { id, upload } = await createVideo(client, libraryId);
    expect(await client.get(202, 'DELETE', `${content}/videos/${id}`)).toEqual({ id, status: 'deleted' });
    for (const method of ['GET', 'DELETE'])
      expectRefused(await client.ask(method, `${content}/videos/${id}`), [404, 'video_not_found']);
    const { items } = await client.get<Page>(200, 'GET', `${content}/libraries/${libraryId}/videos?limit=200`);
    expect(items.map((video) => video.id)).not.toContain(id);
    const { state } = await until(
      () => client.get<{ state: string }>(200, 'GET', `${content}/uploads/${upload.id}`),
      (each) => each.state !== 'open',
    );
    expect(state).toBe('aborted');
  });
});

const complete = (uploadId: string): Promise<CompletedView> =>
  client.get(200, 'POST', `${content}/uploads/${uploadId}/complete`);
