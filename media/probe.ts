import { ExtractionFailure } from '../models/extraction-failure.ts';
import type { Confinement } from './confinement.ts';
import type { ByteFeed } from './byte-feed.ts';
import type { Container } from './containers.ts';
import { probeArguments } from './ffmpeg.ts';
import { runMedia } from './media-process.ts';
import { mp4Tracks } from './mp4-samples.ts';

/** An audio track, as described in the header. */
export interface SoundTrack {
  /** Whether it is encrypted. */
  isProtected: boolean;
  /** Number of channels; null if the header does not declare it. */
  channels: number | null;
}

/** The contents of a recording, as described in its header. */
export interface Probe {
  /** Length in seconds; null if the header does not declare it. */
  seconds: number | null;
  soundTracks: readonly SoundTrack[];
  /** Index of the default audio track; null if there is no audio. */
  defaultTrack: number | null;
  /** Whether there is video; a cover picture does not count. */
  hasVideo: boolean;
  /** Whether the video is encrypted. */
  isVideoProtected: boolean;
}

/**
 * Formats of encrypted samples: common encryption (ISO/IEC 14496-12, 8.12; also of HLS and DASH), FairPlay, and audio
 * books.
 */
const protectedSamples: ReadonlySet<string> = new Set(['enca', 'encv', 'drms', 'drmi', 'aavd']);

/** How a recording is probed. */
export interface ProbeTask {
  ffprobe: string;
  confinement: Confinement;
  container: Container;
  /** Read from the beginning; the bytes stay in the feed. */
  feed: ByteFeed;
  signal: AbortSignal;
}

/**
 * Maximum number of bytes to read. Indexes are at the beginning (about 40 MB for 12 hours of video). The bytes stay in
 * memory until they are decoded.
 */
const maxInput = 64 * 2 ** 20;
const maxOutput = 2 ** 20;

/**
 * Runs ffprobe on a recording.
 * @throws ExtractionFailure `media_unreadable`; what the feed throws
 */
export async function probe(task: ProbeTask): Promise<Probe> {
  let output = '';
  const end = await runMedia({
    program: task.ffprobe,
    arguments: probeArguments(task.container),
    confinement: task.confinement,
    feed: task.feed,
    maxInput,
    givesBack: true,
    outputs: [
      async (bytes) => {
        for await (const chunk of bytes) {
          output += Buffer.from(chunk).toString('utf8');
          if (output.length > maxOutput)
            throw new ExtractionFailure('media_unreadable', 'the recording has too many tracks');
        }
      },
    ],
    signal: task.signal,
  });
  if (end.code !== 0) throw new ExtractionFailure('media_unreadable', `ffprobe ended with ${end.signal ?? end.code}`);
  const tracks = task.container === 'mov' ? await mp4Tracks(task.feed) : [];
  return probeOf(
    output,
    task.container,
    (handler, number) => tracks.filter((track) => track.handler === handler)[number]?.samples ?? [],
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function secondsOf(value: unknown): number | null {
  const seconds = typeof value === 'string' ? Number.parseFloat(value) : Number.NaN;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
}

/**
 * Parses ffprobe's JSON.
 * @param samplesOf sample formats of an MP4 track, by its handler and its index among the tracks of that handler
 * @throws ExtractionFailure `media_unreadable` if there is no track
 */
function probeOf(
  output: string,
  container: Container,
  samplesOf: (handler: string, number: number) => readonly string[],
): Probe {
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch (error) {
    throw new ExtractionFailure(
      'media_unreadable',
      `ffprobe's output is not JSON: ${error instanceof Error ? error.name : 'unknown'}`,
    );
  }
  const streams = isRecord(parsed) && Array.isArray(parsed['streams']) ? parsed['streams'].filter(isRecord) : [];
  const format = isRecord(parsed) && isRecord(parsed['format']) ? parsed['format'] : {};
  const has = (stream: Record<string, unknown>, disposition: string): boolean =>
    isRecord(stream['disposition']) && stream['disposition'][disposition] === 1;
  // Matroska marks an encrypted track by its key id, MP4 by its sample format.
  const isProtected = ({ tags }: Record<string, unknown>, handler: string, number: number): boolean =>
    container === 'matroska'
      ? isRecord(tags) && 'enc_key_id' in tags
      : samplesOf(handler, number).some((name) => protectedSamples.has(name));
  const sound = streams.filter((stream) => stream['codec_type'] === 'audio');
  const video = streams.find((stream) => stream['codec_type'] === 'video' && !has(stream, 'attached_pic'));
  if (sound.length === 0 && video === undefined)
    throw new ExtractionFailure('media_unreadable', 'the file has no audio or video');
  const lengths = [format['duration'], ...streams.map((stream) => stream['duration'])]
    .map(secondsOf)
    .filter((seconds) => seconds !== null);
  const preferred = sound.findIndex((stream) => has(stream, 'default'));
  return {
    seconds: lengths.length === 0 ? null : Math.max(...lengths),
    soundTracks: sound.map((stream, number) => ({
      isProtected: isProtected(stream, 'soun', number),
      channels: typeof stream['channels'] === 'number' ? stream['channels'] : null,
    })),
    defaultTrack: sound.length === 0 ? null : Math.max(0, preferred),
    hasVideo: video !== undefined,
    isVideoProtected: video !== undefined && isProtected(video, 'vide', 0),
  };
}
