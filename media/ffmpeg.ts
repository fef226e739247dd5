import ffmpeg from 'fluent-ffmpeg';
import type { Container } from './containers.ts';

/*
 * Every command line of ffmpeg and ffprobe. Both read their standard input and nothing else: no other protocol is let
 * in, so that no recording can make them open a file or an address; and the container is named, not guessed, so that
 * none of the formats that are lists of other files (HLS, DASH, concat, SMIL) is ever tried.
 */

/** Sample rate of the decoded sound, in hertz. */
export const sampleRate = 16_000;

/** Largest single piece of memory that ffmpeg asks for, in bytes. */
const largestAllocation = 256 * 2 ** 20;
/** How much of a recording is looked at, after its index, to find its tracks: bytes, and microseconds. */
const probing = { bytes: 5_000_000, microseconds: 10_000_000 };
/** Larger pictures are not decoded. */
const maxPixels = 8192 * 8192;

/** Options of the whole command that both programs know. */
const common = ['-v', 'error', '-max_alloc', String(largestAllocation)];

/** Options of the one input: what it is, and how little may be done with it. */
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
const demuxers: Readonly<Record<Container, string>> = {
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

/** Arguments of ffprobe that print a recording's tracks and length as JSON. It ends as soon as it knows them. */
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

/** The sound track that is decoded. */
export interface DecodedTrack {
  /** Among the sound tracks, from 0. */
  number: number;
  /** How many channels it has; null if that is not known. */
  channels: number | null;
}

/** More channels are no arrangement of loudspeakers, but microphones and instruments of a mixing desk. */
const maxArranged = 8;

/** Channels that a track is decoded to: two if it has several, so that the mixer sees what they are. */
export function decodedChannels({ channels }: DecodedTrack): 1 | 2 {
  return channels === 1 || (channels !== null && channels > maxArranged) ? 1 : 2;
}

/** The filters that bring a track to 16 kHz, 16 bits and one channel or two. */
function soundFilters(track: DecodedTrack): string[] {
  const { channels } = track;
  const arranged = [
    `aresample=${sampleRate}:lfe_mix_level=${bassLevel}`,
    `aformat=sample_fmts=s16:channel_layouts=${decodedChannels(track) === 1 ? 'mono' : 'stereo'}`,
  ];
  if (channels === null || channels <= maxArranged) return arranged;
  // As loud as the mean would make those that speak at the same time: mostly it is one.
  const share = (1 / Math.sqrt(channels)).toFixed(3);
  return [
    'aformat=sample_fmts=flt',
    `pan=mono|c0=${Array.from({ length: channels }, (_, channel) => `${share}*c${channel}`).join('+')}`,
    ...arranged,
  ];
}

/**
 * How much of the bass channel is heard, which is left out otherwise: in recordings of several microphones it is the
 * fourth of them.
 */
const bassLevel = 0.5;
/**
 * A further output of the same run that decodes the sound: its arguments behind the input, with `pipe:<n>` as the
 * target.
 */
export interface FurtherOutput {
  /** Options of the output, `-map` among them. */
  options: string[];
  videoFilters: string[];
  format: string;
}

/**
 * Arguments of ffmpeg that write one sound track as 16 kHz, 16 bits, in one channel or two, to `pipe:1`: as Matroska,
 * which has the time of each block. The filters could fill gaps by themselves, but restart where the recording
 * changes its channels or sample rate, and would put all that was before a second time. Outputs besides the sound go to
 * `pipe:3` and on, in their order, and cost no second reading.
 * @param track null if only further outputs are wanted
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

/** Arguments that print which program it is. */
export const versionArguments: readonly string[] = ['-version'];

/**
 * The year of a program's source, from the copyright line that `-version` prints; null if there is none. Builds from a
 * repository have no number that could be compared, but every build prints its year.
 */
export function yearOfVersion(output: string): number | null {
  const year = /^ff(?:mpeg|probe) version .*Copyright \(c\) \d{4}-(\d{4})/m.exec(output)?.[1];
  return year === undefined ? null : Number(year);
}
