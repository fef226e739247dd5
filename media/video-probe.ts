import { ExtractionFailure } from '../models/extraction-failure.ts';

/** A number as a fraction, as frame rates are exact. */
export interface Fraction {
  num: number;
  den: number;
}

/** What the header of a source says of its picture and sound. */
export interface VideoProbe {
  /** Seconds; null if the header does not declare it. */
  durationSeconds: number | null;
  /** Seconds of the picture alone; null if the header does not declare them. */
  pictureSeconds: number | null;
  /** Index of the picture's stream in the file. */
  videoIndex: number;
  /** Sides as displayed: rotation and pixel shape applied. */
  width: number;
  height: number;
  frameRate: Fraction;
  isInterlaced: boolean;
  /** Whether its brightness is that of HDR (PQ or HLG: ITU-R BT.2100). */
  isHdr: boolean;
  /** Index of the default audio stream in the file; null if there is none. */
  audioIndex: number | null;
}

type Values = Record<string, unknown>;

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Options of ffprobe for what `readVideoProbe` reads. */
export const videoProbeEntries =
  'stream=index,codec_type,codec_name,width,height,sample_aspect_ratio,r_frame_rate,avg_frame_rate,duration,field_order,color_transfer:stream_disposition=attached_pic,default:stream_tags=DURATION:stream_side_data=rotation:format=duration';

const fastest = 60;
/** Rates of cameras and films; others that come near are one of these. */
const commonRates: readonly Fraction[] = [
  { num: 24_000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 30, den: 1 },
  { num: 50, den: 1 },
  { num: 60_000, den: 1001 },
  { num: 60, den: 1 },
];

/** The rate that a source is encoded with: constant, 1 to 60 frames a second. */
export function frameRateOf(real: string, average: string): Fraction {
  const rate = (text: string): number => {
    const [num = 0, den = 1] = text.split('/').map(Number);
    return den > 0 && Number.isFinite(num / den) ? num / den : 0;
  };
  const mean = rate(average) || rate(real) || 25;
  // A steady source has the same in both; otherwise `real` is the finest step between frames, perhaps 1/90000 s.
  const wanted = Math.min(fastest, Math.max(1, mean));
  const near = commonRates.find(({ num, den }) => Math.abs(num / den - wanted) < 0.004);
  return near ?? { num: Math.round(wanted * 1000), den: 1000 };
}

/**
 * Reads ffprobe's JSON.
 * @returns null if there is no picture; a cover does not count
 * @throws ExtractionFailure `media_unreadable`
 */
export function readVideoProbe(output: string): VideoProbe | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch {
    throw new ExtractionFailure('media_unreadable', 'the output of ffprobe is not JSON');
  }
  const streams = isValues(parsed) && Array.isArray(parsed['streams']) ? parsed['streams'].filter(isValues) : [];
  const has = ({ disposition }: Values, name: string): boolean => isValues(disposition) && disposition[name] === 1;
  const pictures = streams.filter((each) => each['codec_type'] === 'video' && !has(each, 'attached_pic'));
  const picture = pictures.find((each) => has(each, 'default')) ?? pictures[0];
  if (picture === undefined) return null;
  const sounds = streams.filter((each) => each['codec_type'] === 'audio' && each['codec_name'] !== undefined);
  const sound = sounds.find((each) => has(each, 'default')) ?? sounds[0];
  const format = isValues(parsed) && isValues(parsed['format']) ? parsed['format'] : {};
  // Some containers say the length of the whole alone.
  const ofStreams = [picture, ...(sound === undefined ? [] : [sound])].map((each) => numberOf(each['duration']));
  const longest = ofStreams.every((seconds) => seconds !== null) ? Math.max(...ofStreams) : null;
  const durations = [longest, numberOf(format['duration']), ofStreams[0]];
  const transfer = picture['color_transfer'];
  const fields = picture['field_order'];
  return {
    durationSeconds: durations.find((seconds) => typeof seconds === 'number' && seconds > 0) ?? null,
    pictureSeconds: ofStreams[0] ?? taggedSeconds(picture),
    videoIndex: numberOf(picture['index']) ?? 0,
    ...displayedSides(picture),
    frameRate: frameRateOf(String(picture['r_frame_rate']), String(picture['avg_frame_rate'])),
    isInterlaced: typeof fields === 'string' && fields !== 'progressive' && fields !== 'unknown',
    isHdr: transfer === 'smpte2084' || transfer === 'arib-std-b67',
    audioIndex: sound === undefined ? null : numberOf(sound['index']),
  };
}

/** The length of a stream in Matroska, which writers of it put into a tag: `00:01:35.023000000`. */
function taggedSeconds({ tags }: Values): number | null {
  const tag = isValues(tags) ? tags['DURATION'] : undefined;
  const [, hours, minutes, seconds] = /^(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(typeof tag === 'string' ? tag : '') ?? [];
  return seconds === undefined ? null : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

function displayedSides(picture: Values): { width: number; height: number } {
  const [width, height] = [numberOf(picture['width']) ?? 0, numberOf(picture['height']) ?? 0];
  const [across = 1, down = 1] = String(picture['sample_aspect_ratio']).split(':').map(Number);
  const shape = across > 0 && down > 0 ? across / down : 1;
  const wide = Math.round(width * shape);
  const sideData = Array.isArray(picture['side_data_list']) ? picture['side_data_list'].filter(isValues) : [];
  const rotation = sideData.map(({ rotation: angle }) => numberOf(angle)).find((angle) => angle !== null) ?? 0;
  return Math.abs(Math.round(rotation / 90)) % 2 === 1 ? { width: height, height: wide } : { width: wide, height };
}
