import fc from 'fast-check';
import { frameRateOf, readVideoProbe } from '../../media/video-probe.ts';
import { framesPerKey, keysPerSegment } from '../../media/video-commands.ts';
import { planOf, renditionsOf } from './plan.ts';
import { bitRates, codecOf, masterPlaylist, mediaPlaylist, thumbnailsVtt } from './playlists.ts';

const heights = [240, 360, 480, 720, 1080, 1440, 2160];
const origins = { ladder: 'default', keepOriginal: 'default', download: 'default', thumbnails: 'default' } as const;
const settings = { ladder: [240], keepOriginal: true, download: false, thumbnails: false, origins };

describe('the ladder', () => {
  it('has no rendition above the source, even sides, and at least one rendition', () => {
    const side = fc.integer({ min: 16, max: 8192 });
    const ladder = fc.subarray(heights, { minLength: 1 });
    fc.assert(
      fc.property(ladder, side, side, (given, width, height) => {
        const made = renditionsOf(given, { width, height });
        expect(made.length).toBeGreaterThan(0);
        for (const rendition of made) {
          expect([rendition.height % 2, rendition.width % 2]).toEqual([0, 0]);
          expect(rendition.height).toBeLessThanOrEqual(height);
          expect(rendition.width).toBeGreaterThanOrEqual(2);
        }
        expect(made.map((each) => each.height)).toEqual(made.map((each) => each.height).toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('frames', () => {
  it.each([
    ['30/1', '30/1', { num: 30, den: 1 }],
    ['30000/1001', '30000/1001', { num: 30_000, den: 1001 }],
    ['90000/1', '2997/125', { num: 24_000, den: 1001 }],
    ['120/1', '120/1', { num: 60, den: 1 }],
    ['1/10', '1/10', { num: 1000, den: 1000 }],
    ['0/0', '0/0', { num: 25, den: 1 }],
  ])('of %s and %s', (real, average, expected) => {
    expect(frameRateOf(real, average)).toEqual(expected);
  });

  it('make segments of six seconds or a little more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 60_000 }), (num) => {
        const rate = { num, den: 1000 };
        const seconds = (keysPerSegment * framesPerKey(rate) * rate.den) / rate.num;
        expect(seconds).toBeGreaterThanOrEqual(6 - 1e-6);
        expect(seconds).toBeLessThanOrEqual(9);
      }),
    );
  });
});

describe('the probe', () => {
  it('finds no picture in a cover', () => {
    const stream = { index: 0, codec_type: 'video', disposition: { attached_pic: 1 } };
    expect(readVideoProbe(JSON.stringify({ streams: [stream] }))).toBeNull();
  });

  it('applies rotation and the shape of pixels', () => {
    const stream = {
      ...{ index: 1, codec_type: 'video', width: 720, height: 576, sample_aspect_ratio: '16:15' },
      ...{ r_frame_rate: '25/1', avg_frame_rate: '25/1', field_order: 'tt', color_transfer: 'smpte2084' },
      side_data_list: [{ rotation: -90 }],
    };
    expect(readVideoProbe(JSON.stringify({ streams: [stream], format: { duration: '2.5' } }))).toEqual({
      durationSeconds: 2.5,
      pictureSeconds: null,
      videoIndex: 1,
      width: 576,
      height: 768,
      frameRate: { num: 25, den: 1 },
      isInterlaced: true,
      isHdr: true,
      audioIndex: null,
    });
  });

  it('takes a film to be as long as the longer of picture and sound', () => {
    const picture = { index: 0, codec_type: 'video', width: 64, height: 64, avg_frame_rate: '25/1', duration: '3.0' };
    const sound = { index: 1, codec_type: 'audio', codec_name: 'aac', duration: '14.0' };
    const secondsOf = (streams: object[], whole?: string): number | null | undefined =>
      readVideoProbe(JSON.stringify({ streams, format: { duration: whole } }))?.durationSeconds;
    expect(secondsOf([picture, sound], '99')).toBe(14);
    expect(secondsOf([picture], '99')).toBe(3);
    expect(secondsOf([picture, { ...sound, duration: undefined }], '99')).toBe(99);
    expect(secondsOf([picture, { ...sound, duration: undefined }])).toBe(3);
    expect(secondsOf([{ ...picture, duration: undefined }])).toBeNull();
    const heldFrom = (streams: object[]): number | undefined => {
      const probe = readVideoProbe(JSON.stringify({ streams, format: { duration: '14.0' } }));
      if (probe === null) throw new Error('there is no picture');
      return planOf(probe, 'mov', settings, null).heldFrom;
    };
    expect(heldFrom([picture, sound])).toBe(3);
    expect(heldFrom([picture])).toBeUndefined();
    expect(heldFrom([{ ...picture, duration: '13.5' }, sound])).toBeUndefined();
    const tagged = { ...picture, duration: undefined, tags: { DURATION: '00:00:04.500000000' } };
    expect(heldFrom([tagged, { ...sound, duration: undefined }])).toBe(4.5);
    expect(heldFrom([{ ...tagged, tags: {} }, sound])).toBe(14);
  });
});

describe('playlists', () => {
  const segments = [
    { name: 'seg-00000.m4s', seconds: 6.006, bytes: 6006 },
    { name: 'seg-00001.m4s', seconds: 1.5, bytes: 3000 },
  ];

  it('list segments', () => {
    expect(mediaPlaylist(segments)).toContain('#EXT-X-TARGETDURATION:6\n');
    expect(mediaPlaylist(segments)).toContain(
      '#EXTINF:6.006000,\nseg-00000.m4s\n#EXTINF:1.500000,\nseg-00001.m4s\n#EXT-X-ENDLIST\n',
    );
    expect(bitRates(segments)).toEqual({ peak: 16_000, mean: 9599 });
  });

  it('name renditions with their audio', () => {
    const rendition = {
      height: 240,
      width: 426,
      bandwidth: 10,
      mean: 9,
      codec: 'avc1.64000b',
      uri: 'e1/240p/index.m3u8',
    };
    const text = masterPlaylist([rendition], 'e1/audio/index.m3u8', { num: 30_000, den: 1001 });
    expect(text).toContain('URI="e1/audio/index.m3u8"');
    expect(text).toContain(
      '#EXT-X-STREAM-INF:BANDWIDTH=10,AVERAGE-BANDWIDTH=9,CODECS="avc1.64000b,mp4a.40.2",RESOLUTION=426x240,FRAME-RATE=29.970,AUDIO="audio"\ne1/240p/index.m3u8\n',
    );
    expect(masterPlaylist([rendition], null, { num: 25, den: 1 })).not.toContain('audio"');
    expect(codecOf(Buffer.from('xxxxavcC\x01\x64\x00\x0b', 'latin1'))).toBe('avc1.64000b');
    expect(() => codecOf(Buffer.from('none'))).toThrow('decoder configuration');
  });

  it('name the places of small pictures', () => {
    const sheet = (number: number): string => `sheet_${number}.jpg`;
    const text = thumbnailsVtt({ sheet, count: 12, side: 3, width: 160, height: 90, interval: 2, seconds: 3723.5 });
    expect(text.startsWith('WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nsheet_0.jpg#xywh=0,0,160,90\n')).toBe(true);
    expect(text).toContain('00:00:20.000 --> 00:00:22.000\nsheet_1.jpg#xywh=160,0,160,90\n');
    expect(text).toContain('00:00:22.000 --> 01:02:03.500\nsheet_1.jpg#xywh=320,0,160,90\n');
  });
});
