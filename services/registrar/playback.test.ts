import type { ActionCaller } from '../../mixins/actions/call.ts';
import type { Caller } from '../../models/api.ts';
import { assets } from '../../models/asset.ts';
import { buckets, type LinkView } from '../../models/bucket.ts';
import { Refusal, type ErrorCode } from '../../models/errors.ts';
import { systemScope } from '../../models/scope.ts';
import { videos } from '../../models/video.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testBucket } from '../../test/support/bucket.ts';
import { testVideo } from '../../test/support/video.ts';
import { playback } from './playback.ts';
import { Registrar } from './registrar.ts';

const caller: Caller = {
  accountId: 'account',
  organizationId: 'organization',
  keyId: 'key',
  keyPrefix: 'ply_test',
  keyLabel: 'test',
  keyScope: 'standard',
  requestId: 'request',
};
const links: LinkView = {
  url: 'https://films.localhost/videos/video/master.m3u8?token=t',
  nativeUrl: 'https://films.localhost/~t/videos/video/master.m3u8',
  posterUrl: null,
  thumbnailsUrl: null,
  downloadUrl: null,
  expiresAt: '2031-01-01T00:00:00.000Z',
};

let test: TestApp;
let registrar: Registrar;
let asked: unknown[];
beforeEach(async () => {
  test = await testApp();
  asked = [];
  registrar = new Registrar(
    test.app,
    () => Promise.resolve(),
    () => undefined,
  );
  const { records } = test.app;
  await records.collection(buckets, systemScope).insert(testBucket({ kind: 'video', name: 'films', nameKey: 'films' }));
  await records.collection(videos, systemScope).insert(testVideo());
});
afterEach(() => test.close());

/** The storage actor, which signs or refuses. */
function storage(answer: LinkView | ErrorCode): ActionCaller {
  const call: unknown = (_: string, { request }: { request: unknown }) => {
    asked.push(request);
    return typeof answer === 'string' ? Promise.reject(new Refusal(answer)) : Promise.resolve(answer);
  };
  return { call: call as ActionCaller['call'] };
}

async function play(key: string, answer: LinkView | ErrorCode) {
  const sourceUrl = `https://films.localhost/${key}`;
  await test.app.records
    .collection(assets, systemScope)
    .put(testAsset({ _id: 'asset', sourceUrl, bucketId: 'bucket' }));
  return playback(registrar, storage(answer), caller, 'asset', false, null);
}

describe('the source of a video in a library', () => {
  it('plays as that video', async () => {
    expect(await play('sources/video.mp4', links)).toEqual({
      format: 'hls',
      url: links.url,
      nativeUrl: links.nativeUrl,
      posterUrl: null,
      expiresAt: links.expiresAt,
    });
    expect(asked).toEqual([{ bucketId: 'bucket', videoId: 'video' }]);
  });

  it.each<ErrorCode>(['video_not_ready', 'video_not_found', 'validation_error', 'bucket_not_active'])(
    'is not playable where signing answers %s',
    async (code) => {
      await expect(play('sources/video.mp4', code)).rejects.toMatchObject({ type: 'asset_not_playable' });
    },
  );

  it('is not playable once its video was deleted, and not while the bucket is suspended', async () => {
    await expect(play('sources/another.mp4', links)).rejects.toMatchObject({ type: 'asset_not_playable' });
    await expect(play('sources/video.mp4', 'bucket_suspended')).rejects.toMatchObject({ type: 'bucket_suspended' });
    await test.app.records.collection(videos, systemScope).update('video', {}, { unset: ['listedAt'] });
    await expect(play('sources/video.mp4', links)).rejects.toMatchObject({ type: 'asset_not_playable' });
  });

  it('is a file like others where it lies elsewhere', async () => {
    expect(await play('sources/a/b.mp4', { url: 'https://films.localhost/x', expiresAt: null })).toMatchObject({
      format: 'file',
      nativeUrl: null,
    });
    expect(asked).toEqual([{ bucketId: 'bucket', key: 'sources/a/b.mp4' }]);
  });
});
