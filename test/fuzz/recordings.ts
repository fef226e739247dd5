import { readFileSync } from 'node:fs';
import { lavfi, pictures, tone, type Studio } from '../../media/testing/recordings.ts';
import { openSourceServer } from '../../services/extractor/testing/source.ts';
import { openStage } from '../../services/extractor/testing/stage.ts';
import { binaryMutations } from './mutations.ts';
import type { FuzzedFormat, FuzzReader } from './trial.ts';

/** Maximum time for a small file on a busy machine; a longer one counts as endless. */
const maxMilliseconds = 60_000;
/** Slides are read in one of this many videos. */
const slidesEvery = 8;

const noise = lavfi('anoisesrc=duration=1:amplitude=0.3:sample_rate=16000');
const sound = [...tone(1), '-ar', '16000'];
const video = [...tone(1), ...pictures(1), '-ar', '22050', '-pix_fmt', 'yuv420p'];

/** Arguments of ffmpeg for the original recordings: two per format. */
const made: { readonly [format: string]: readonly string[][] } = {
  mp3: [sound, [...noise, '-b:a', '32k', '-metadata', 'title=A title']],
  wav: [
    [...tone(1), '-ar', '8000'],
    [...noise, '-c:a', 'pcm_u8', '-ar', '8000', '-ac', '2'],
  ],
  flac: [
    [...tone(1), '-ar', '8000'],
    [...noise, '-ar', '8000', '-metadata', 'title=A title'],
  ],
  m4a: [sound, [...noise, '-b:a', '32k', '-movflags', '+faststart']],
  ogg: [
    [...sound, '-c:a', 'libvorbis'],
    [...noise, '-c:a', 'libopus', '-b:a', '16k'],
  ],
  aac: [sound, [...noise, '-b:a', '32k', '-ac', '2']],
  mp4: [video, [...video, '-movflags', 'frag_keyframe+empty_moov']],
  mov: [video, [...video, '-movflags', '+faststart', '-c:v', 'mjpeg', '-c:a', 'pcm_s16le', '-ar', '8000']],
  mkv: [video, [...video, '-c:v', 'mpeg4', '-c:a', 'flac', '-ar', '8000']],
  webm: [
    [...video, '-c:v', 'libvpx', '-c:a', 'libvorbis'],
    [...tone(1), ...pictures(1), '-c:v', 'libvpx', '-c:a', 'libopus', '-b:a', '16k'],
  ],
  avi: [video, [...video, '-c:v', 'mjpeg', '-c:a', 'pcm_s16le', '-ar', '8000']],
  ts: [video, [...video, '-mpegts_m2ts_mode', '1']],
  latm: [
    [...sound, '-c:a', 'aac'],
    [...noise, '-c:a', 'aac', '-b:a', '32k'],
  ],
};

/** Extensions for containers without one of their own. */
const extensionAliases: { readonly [format: string]: string } = { ts: 'mp4', latm: 'aac' };

/** The extension of a format's files. */
export function extensionOf(format: string): string {
  return extensionAliases[format] ?? format;
}

/** Reads recordings as the program's stage does, from a local source. */
async function recordingReader(format: string): Promise<FuzzReader> {
  const extension = extensionOf(format);
  const kind = /^(mp4|mov|mkv|webm|avi)$/.test(extension) ? 'video' : 'audio';
  const stage = await openStage();
  const source = await openSourceServer();
  let count = 0;
  return {
    read: async (content) => {
      source.serve(content);
      const began = performance.now();
      const failure = await stage.failure({
        filename: `recording.${extension}`,
        kind,
        sourceUrl: source.url,
        extractContentFromVideoFrames: kind === 'video' && count++ % slidesEvery === 0,
      });
      if (performance.now() - began > maxMilliseconds)
        return `hung: ended after ${Math.round(performance.now() - began)} ms`;
      if (failure === null) return 'read';
      return failure.outcome === 'definite' ? failure.code : `${failure.code} (${failure.outcome})`;
    },
    close: async () => {
      await stage.close();
      await source.close();
    },
  };
}

/** The mutated recording formats. To add a format, add a row to `made`. */
export function recordingFormats(studio: Studio): FuzzedFormat[] {
  return Object.entries(made).map(([format, recipes]) => ({
    name: format,
    originals: () =>
      Promise.all(recipes.map(async (recipe, at) => readFileSync(await studio.make(`${at}.${format}`, ...recipe)))),
    mutations: binaryMutations,
    // Half of the time is spent on starting programs.
    concurrency: 2,
    open: () => recordingReader(format),
    codes: ['read', 'media_unreadable', 'media_encrypted', 'audio_too_long'],
  }));
}
