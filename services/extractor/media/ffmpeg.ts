import ffmpeg from 'fluent-ffmpeg';
import type { Container } from './containers.ts';

/*
 * Every command line of ffmpeg and ffprobe. Both read their standard input and nothing else: no other protocol is let
 * in, so that no recording can make them open a file or an address; and the container is told, not guessed, so that
 * none of the formats that are lists of other files (HLS, DASH, concat, SMIL) is ever tried.
 */

/** Samples a second of the sound that is handed on. */
export const sampleRate = 16_000;

/** Largest single piece of memory that ffmpeg asks for, in bytes. */
const largestAllocation = 256 * 2 ** 20;
/** How much of a recording is looked at, behind its index, to tell its tracks: bytes, and microseconds. */
const probing = { bytes: 5_000_000, microseconds: 10_000_000 };
/** Larger pictures are not decoded. */
const mostPixels = 8192 * 8192;

/** Options of the whole command that both programs know. */
const common = ['-v', 'error', '-max_alloc', String(largestAllocation)];

/** Options of the one input: what it is, and how little may be done with it. */
function inputOptions(container: Container): string[] {
  return [
    '-protocol_whitelist', 'pipe',
    '-format_whitelist', demuxers[container],
    '-probesize', String(probing.bytes),
    '-analyzeduration', String(probing.microseconds),
    '-max_pixels', String(mostPixels),
    '-threads', '1',
  ];
}

/** Full names of the demuxers, as `-format_whitelist` compares them. */
const demuxers: Readonly<Record<Container, string>> = { mov: 'mov', matroska: 'matroska', avi: 'avi', wav: 'wav', flac: 'flac', ogg: 'ogg', mp3: 'mp3', aac: 'aac', loas: 'loas', mpegts: 'mpegts', w64: 'w64' };

/** Arguments of ffprobe that print a recording's tracks and length as JSON. It ends as soon as it knows them. */
export function probeArguments(container: Container): string[] {
  const shown = 'stream=index,codec_type,codec_name,width,height,channels,sample_rate,duration:stream_disposition=default,attached_pic:stream_tags=enc_key_id:format=duration';
  return [...common, '-f', container, ...inputOptions(container), '-print_format', 'json', '-show_entries', shown, '-i', 'pipe:0'];
}

/** A further output of the same run that decodes the sound: its arguments behind the input, with `pipe:<n>` as the target. */
export interface FurtherOutput {
  /** Options of the output, `-map` among them. */
  options: string[];
  videoFilters: string[];
  format: string;
}

/**
 * Arguments of ffmpeg that write one sound track as 16 kHz, mono, 16 bits (little-endian, without a header) to `pipe:1`.
 * A sample's place is its time in the recording: a track that begins late begins with silence, and gaps are filled.
 * Outputs besides the sound go to `pipe:3` and on, in their order, and cost no second reading.
 * @param track number among the sound tracks, from 0; null where only further outputs are wanted
 */
export function decodeArguments(container: Container, track: number | null, further: readonly FurtherOutput[] = []): string[] {
  const command = ffmpeg()
    .input('pipe:0')
    .inputFormat(container)
    .inputOptions(inputOptions(container));
  if (track !== null) {
    command
      .output('pipe:1')
      .noVideo()
      .audioCodec('pcm_s16le')
      .audioFilters([`aresample=${sampleRate}:async=1:first_pts=0`, 'aformat=sample_fmts=s16:channel_layouts=mono'])
      .outputOptions(['-map', `0:a:${track}`, '-sn', '-dn', '-map_metadata', '-1'])
      .format('s16le');
  }
  further.forEach(({ options, videoFilters, format }, index) => {
    command.output(`pipe:${index + 3}`).noAudio().videoFilters(videoFilters).outputOptions(options).format(format);
  });
  return ['-nostdin', '-hide_banner', '-nostats', ...common, '-filter_threads', '1', ...command._getArguments().map(String)];
}

/** Arguments that print which program it is. */
export const versionArguments: readonly string[] = ['-version'];

/**
 * The year of a program's source, from the copyright line that `-version` prints; null where there is none. Builds from
 * a repository have no number that could be compared, but every build tells its year.
 */
export function yearOfVersion(output: string): number | null {
  const year = /^ff(?:mpeg|probe) version .*Copyright \(c\) \d{4}-(\d{4})/m.exec(output)?.[1];
  return year === undefined ? null : Number(year);
}
