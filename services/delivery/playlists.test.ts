import fc from 'fast-check';
import { signDirectory } from '../../models/links/sign.ts';
import { linkKeyOf } from '../../mixins/storage/signing-key.ts';
import { startEdges, type TestEdge, type TestEdges } from '../../test/support/edge.ts';
import { playlistWith, thumbnailsWith } from './playlists.ts';

const query = 'expires=1&kid=k1234567&token=t';

const master = `#EXTM3U
#EXT-X-VERSION:7
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="URI=\\"x\\"",URI="audio/list.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
240p/list.m3u8

# a comment with URI="x"
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="240p/frames.m3u8"
https://elsewhere.example/list.m3u8
`;

describe('a playlist', () => {
  it('passes the query on to the files of the video alone', () => {
    expect(playlistWith(master, query)).toBe(`#EXTM3U
#EXT-X-VERSION:7
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="URI=\\"x\\"",URI="audio/list.m3u8?${query}"
#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a"
240p/list.m3u8?${query}

# a comment with URI="x"
#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="240p/frames.m3u8?${query}"
https://elsewhere.example/list.m3u8
`);
    const segments = '#EXTM3U\r\n#EXT-X-MAP:URI="init.mp4"\r\n#EXTINF:6.000,\r\nseg-1.m4s\r\n#EXT-X-ENDLIST\r\n';
    expect(playlistWith(segments, query)).toBe(
      `#EXTM3U\r\n#EXT-X-MAP:URI="init.mp4?${query}"\r\n#EXTINF:6.000,\r\nseg-1.m4s?${query}\r\n#EXT-X-ENDLIST\r\n`,
    );
  });

  it('changes in nothing but its addresses', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.constantFrom('a.m4s', '#EXTINF:6,', '#EXT-X-MAP:URI="i"', ''))),
        (lines) => {
          const text = lines.join('\n');
          expect(playlistWith(text, query).replaceAll(`?${query}`, '').replaceAll(`&${query}`, '')).toBe(text);
          expect(playlistWith(text, query).split('\n')).toHaveLength(text.split('\n').length);
        },
      ),
    );
  });

  it('of thumbnails keeps the place in the picture behind the query', () => {
    const text =
      'WEBVTT\n\nNOTE sprite.jpg\n\n1\n00:00.000 --> 00:02.000\nsprite_000.jpg#xywh=0,0,160,90\n\n00:02.000 --> 00:04.000\r\nsprite_000.jpg#xywh=160,0,160,90\r\n';
    expect(thumbnailsWith(text, query)).toBe(text.replaceAll('sprite_000.jpg#', `sprite_000.jpg?${query}#`));
  });
});

describe('an edge', () => {
  let stage: TestEdges;
  let edge: TestEdge;
  beforeAll(async () => {
    stage = await startEdges(1);
    [edge] = stage.edges as [TestEdge];
  });
  afterAll(() => stage.close());

  it.each(['pl1', 'ps2'] as const)('delivers a video under one link of %s in both forms', async (linkScheme) => {
    const bucket = await stage.addBucket({ kind: 'video', linkScheme });
    const host = `${bucket.name}.localhost`;
    const type = { contentType: 'application/vnd.apple.mpegurl' };
    await stage.put(bucket, 'videos/v1/master.m3u8', master, type);
    await stage.put(bucket, 'videos/v1/240p/list.m3u8', '#EXTM3U\nseg-1.m4s\n', type);
    await stage.put(bucket, 'videos/v1/240p/seg-1.m4s', 'bytes');
    await stage.put(bucket, 'videos/v1/thumbnails.vtt', 'WEBVTT\n\n0:00.000 --> 0:02.000\na.jpg#xywh=0,0,1,1\n');
    await stage.put(bucket, 'videos/v2/master.m3u8', master, type);
    const key = linkKeyOf(stage.test.app, bucket);
    if (key === null) throw new Error('no key');
    const scheme = linkScheme === 'pl1' ? 'pl1d' : 'ps3';
    const expires = Math.floor(Date.now() / 1000) + 60;
    const link = signDirectory(scheme, key, 'videos/v1', { expires });
    const inQuery = (path: string): string => `/videos/v1/${path}?${link.query}`;
    const list = await edge.get(host, inQuery('master.m3u8'));
    expect(list.status).toBe(200);
    expect(list.body.toString()).toBe(playlistWith(master, link.query));
    expect(list.headers['content-length']).toBe(String(list.body.length));
    const [, next = ''] = /\n(240p\/[^\n]*)/.exec(list.body.toString()) ?? [];
    const media = await edge.get(host, `/videos/v1/${next}`);
    expect(media.body.toString()).toBe(`#EXTM3U\nseg-1.m4s?${link.query}\n`);
    expect((await edge.get(host, inQuery('240p/seg-1.m4s'))).body.toString()).toBe('bytes');
    expect((await edge.get(host, inQuery('thumbnails.vtt'))).body.toString()).toContain(`a.jpg?${link.query}#xywh`);
    const head = await edge.get(host, inQuery('master.m3u8'), { method: 'HEAD' });
    expect(head.headers['content-length']).toBe(list.headers['content-length']);
    const part = await edge.get(host, inQuery('master.m3u8'), { headers: { range: 'bytes=0-6' } });
    expect([part.status, part.body.toString()]).toEqual([206, '#EXTM3U']);
    expect(part.headers['content-range']).toBe(`bytes 0-6/${list.body.length}`);
    const known = await edge.get(host, inQuery('master.m3u8'), { headers: { 'if-none-match': list.headers.etag } });
    expect(known.status).toBe(304);
    // The native form leaves files as they are: relative addresses keep the token in the path.
    const native = await edge.get(host, `${link.nativePrefix}/videos/v1/master.m3u8`);
    expect([native.status, native.body.toString()]).toEqual([200, master]);
    expect((await edge.get(host, `${link.nativePrefix}/videos/v1/240p/seg-1.m4s`)).body.toString()).toBe('bytes');
    for (const path of ['/videos/v2/master.m3u8', '/sources/v1.mp4']) {
      expect((await edge.get(host, `${path}?${link.query}`)).code).toBe('link_invalid');
      expect((await edge.get(host, `${link.nativePrefix}${path}`)).code).toBe('link_invalid');
    }
    expect((await edge.get(host, '/videos/v1/master.m3u8')).code).toBe('link_required');
    const late = signDirectory(scheme, key, 'videos/v1', { expires: 1 });
    expect((await edge.get(host, `/videos/v1/master.m3u8?${late.query}`)).code).toBe('link_expired');
  });
});
