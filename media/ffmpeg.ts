import ffmpeg from 'fluent-ffmpeg';
import type { Container } from './containers.ts';

/*
 * All command lines of ffmpeg and ffprobe. Both read standard input only: every other protocol is blocked, so a
 * recording cannot make them open a file or an address. The container is named explicitly, so the formats that list
 * other files (HLS, DASH, concat, SMIL) are never tried.
 */

/** Sample rate of the decoded audio, in hertz. */
export const sampleRate = 16_000;

/** Largest single allocation of ffmpeg, in bytes. */
const largestAllocation = 256 * 2 ** 20;
/** How much of a recording is analysed, after its index, to find its tracks: bytes, and microseconds. */
const probing = { bytes: 5_000_000, microseconds: 10_000_000 };
/** Larger pictures are not decoded. */
const maxPixels = 8192 * 8192;

/** Global options of both programs. */
const common = ['-v', 'error', '-max_alloc', String(largestAllocation)];

/** Options of the input: its container, and its limits. */
function inputOptions(container: Container): string[] {
  return [
    '-protocol_whitelist',
    'pipe',
    '-format_whitelist',
    demuxers[container],
    '-probesize',
    String(probing.bytes),
    '-analyzeduration',
    String(probing.microseconds),
    '-max_pixels',
    String(maxPixels),
    '-threads',
    '1',
  ];
}

/** Full names of the demuxers, as `-format_whitelist` compares them. */
export const demuxers: Readonly<Record<Container, string>> = {
  mov: 'mov',
  matroska: 'matroska',
  avi: 'avi',
  wav: 'wav',
  flac: 'flac',
  ogg: 'ogg',
  mp3: 'mp3',
  aac: 'aac',
  loas: 'loas',
  mpegts: 'mpegts',
  w64: 'w64',
};

/** Arguments of ffprobe that print a recording's tracks and length as JSON. */
export function probeArguments(container: Container): string[] {
  const shown =
    'stream=index,codec_type,codec_name,width,height,channels,sample_rate,duration:stream_disposition=default,attached_pic:stream_tags=enc_key_id:format=duration';
  return [
    ...common,
    '-f',
    container,
    ...inputOptions(container),
    '-print_format',
    'json',
    '-show_entries',
    shown,
    '-i',
    'pipe:0',
  ];
}

/** The audio track to decode. */
export interface DecodedTrack {
  /** Index among the audio tracks, from 0. */
  number: number;
  /** Number of channels; null if unknown. */
  channels: number | null;
}

/** Tracks with more channels hold separate microphones or instruments, not a loudspeaker layout. */
const maxArranged = 8;

/** Number of channels to decode a track to: two if it has several, so that the mixer can compare them. */
export function decodedChannels({ channels }: DecodedTrack): 1 | 2 {
  return channels === 1 || (channels !== null && channels > maxArranged) ? 1 : 2;
}

/** Filters that convert a track to 16 kHz, 16 bits, and one or two channels. */
function soundFilters(track: DecodedTrack): string[] {
  const { channels } = track;
  const arranged = [
    `aresample=${sampleRate}:lfe_mix_level=${bassLevel}`,
    `aformat=sample_fmts=s16:channel_layouts=${decodedChannels(track) === 1 ? 'mono' : 'stereo'}`,
  ];
  if (channels === null || channels <= maxArranged) return arranged;
  // Scale by power: usually only one channel speaks at a time, and a plain mean would make it too quiet.
  const share = (1 / Math.sqrt(channels)).toFixed(3);
  return [
    'aformat=sample_fmts=flt',
    `pan=mono|c0=${Array.from({ length: channels }, (_, channel) => `${share}*c${channel}`).join('+')}`,
    ...arranged,
  ];
}

/**
 * Level of the bass channel, which ffmpeg drops by default: in recordings of several microphones it is the fourth one.
 */
const bassLevel = 0.5;
/**
 * An additional output of the run that decodes the audio: its arguments after the input, with `pipe:<n>` as the target.
 */
export interface FurtherOutput {
  /** Options of the output, `-map` among them. */
  options: string[];
  videoFilters: string[];
  format: string;
}

/**
 * Arguments of ffmpeg that write one audio track to `pipe:1` as 16 kHz, 16 bits, one or two channels, in Matroska,
 * which has the time of each block. (ffmpeg's own gap filters restart where the channels or the sample rate change, and
 * would repeat all earlier audio.) Additional outputs go to `pipe:3` and up, without a second read.
 * @param track null to produce additional outputs only
 */
export function decodeArguments(
  container: Container,
  track: DecodedTrack | null,
  further: readonly FurtherOutput[] = [],
): string[] {
  const command = ffmpeg().input('pipe:0').inputFormat(container).inputOptions(inputOptions(container));
  if (track !== null) {
    command
      .output('pipe:1')
      .noVideo()
      .audioCodec('pcm_s16le')
      .audioFilters(soundFilters(track))
      .outputOptions([
        '-map',
        `0:a:${track.number}`,
        '-sn',
        '-dn',
        '-map_metadata',
        '-1',
        '-avoid_negative_ts',
        'disabled',
        '-live',
        '1',
        '-write_crc32',
        '0',
      ])
      .format('matroska');
  }
  further.forEach(({ options, videoFilters, format }, index) => {
    command
      .output(`pipe:${index + 3}`)
      .noAudio()
      .videoFilters(videoFilters)
      .outputOptions(options)
      .format(format);
  });
  return [
    '-nostdin',
    '-hide_banner',
    '-nostats',
    ...common,
    '-filter_threads',
    '1',
    ...command._getArguments().map(String),
  ];
}

/** Arguments that print the program's version. */
export const versionArguments: readonly string[] = ['-version'];

/**
 * The year of a program's source, from the copyright line of `-version`; null if there is none. Repository builds have
 * no comparable version number, but every build prints its year.
 */
export function yearOfVersion(output: string): number | null {
  const year = /^ff(?:mpeg|probe) version .*Copyright \(c\) \d{4}-(\d{4})/m.exec(output)?.[1];
  return year === undefined ? null : Number(year);
}
