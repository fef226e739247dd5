import type { VideoRendition } from '../../models/video.ts';

/** A segment that is there. */
export interface Segment {
  /** Name in its folder. */
  name: string;
  seconds: number;
  bytes: number;
}

/** The playlist of a rendition, or of the audio (RFC 8216). */
export function mediaPlaylist(segments: readonly Segment[]): string {
  const target = Math.max(1, ...segments.map(({ seconds }) => Math.round(seconds)));
  return lines([
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    `#EXT-X-TARGETDURATION:${target}`,
    '#EXT-X-MEDIA-SEQUENCE:0',
    '#EXT-X-PLAYLIST-TYPE:VOD',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    '#EXT-X-MAP:URI="init.mp4"',
    ...segments.flatMap(({ name, seconds }) => [`#EXTINF:${seconds.toFixed(6)},`, name]),
    '#EXT-X-ENDLIST',
  ]);
}

/** Peak and mean bit rate of segments, in bits per second. */
export function bitRates(segments: readonly Segment[]): { peak: number; mean: number } {
  const seconds = segments.reduce((sum, segment) => sum + segment.seconds, 0);
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const rate = (size: number, time: number): number => Math.ceil((8 * size) / Math.max(0.001, time));
  return { peak: Math.max(0, ...segments.map((each) => rate(each.bytes, each.seconds))), mean: rate(bytes, seconds) };
}

/** A rendition as the master playlist names it. */
export interface MasterRendition extends VideoRendition {
  /** Mean bit rate with the audio, in bits per second. */
  mean: number;
  /** Of the picture, as RFC 6381 names it. */
  codec: string;
  /** Its playlist, relative to the master playlist. */
  uri: string;
}

/** The master playlist. @param audioUri playlist of the audio; null if there is none */
export function masterPlaylist(
  renditions: readonly MasterRendition[],
  audioUri: string | null,
  frameRate: { num: number; den: number },
): string {
  const sound = audioUri === null ? '' : ',mp4a.40.2';
  return lines([
    '#EXTM3U',
    '#EXT-X-VERSION:7',
    '#EXT-X-INDEPENDENT-SEGMENTS',
    ...(audioUri === null
      ? []
      : [
          `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",NAME="Audio",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="2",URI="${audioUri}"`,
        ]),
    ...renditions.flatMap(({ width, height, bandwidth, mean, codec, uri }) => [
      [
        `#EXT-X-STREAM-INF:BANDWIDTH=${bandwidth}`,
        `AVERAGE-BANDWIDTH=${mean}`,
        `CODECS="${codec}${sound}"`,
        `RESOLUTION=${width}x${height}`,
        `FRAME-RATE=${(frameRate.num / frameRate.den).toFixed(3)}`,
        ...(audioUri === null ? [] : ['AUDIO="audio"']),
      ].join(','),
      uri,
    ]),
  ]);
}

/** Sheets of small pictures, and what they show. */
export interface Sprites {
  /** Path of a sheet, relative to `thumbnails.vtt`. */
  sheet(number: number): string;
  count: number;
  /** Pictures of a sheet, in a row and in a column. */
  side: number;
  width: number;
  height: number;
  /** Seconds from one picture to the next. */
  interval: number;
  /** Length of the video in seconds. */
  seconds: number;
}

/** The WebVTT file that names the place of each picture (W3C Media Fragments, `xywh`). */
export function thumbnailsVtt({ sheet, count, side, width, height, interval, seconds }: Sprites): string {
  const cues = Array.from({ length: count }, (_, at) => {
    const place = at % (side * side);
    const [x, y] = [(place % side) * width, Math.floor(place / side) * height];
    const end = at === count - 1 ? Math.max(seconds, at * interval + 0.001) : (at + 1) * interval;
    return `${clock(at * interval)} --> ${clock(end)}\n${sheet(Math.floor(at / (side * side)))}#xywh=${x},${y},${width},${height}\n`;
  });
  return `WEBVTT\n\n${cues.join('\n')}`;
}

function clock(seconds: number): string {
  const all = Math.round(seconds * 1000);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(all / 3_600_000)}:${two((all / 60_000) % 60)}:${two((all / 1000) % 60)}.${String(all % 1000).padStart(3, '0')}`;
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

/**
 * The codec of an H.264 picture, `avc1.` and the profile, constraints and level (RFC 6381, 3.3), from the decoder
 * configuration in an `init.mp4` (ISO/IEC 14496-15, 5.3.3.1).
 * @throws Error where there is none
 */
export function codecOf(init: Uint8Array): string {
  const bytes = Buffer.from(init.buffer, init.byteOffset, init.byteLength);
  const at = bytes.indexOf('avcC', 0, 'latin1');
  if (at < 0 || at + 8 > bytes.length) throw new Error('the header has no decoder configuration');
  return `avc1.${bytes.subarray(at + 5, at + 8).toString('hex')}`;
}
