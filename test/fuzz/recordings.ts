import { readFileSync } from 'node:fs';
import { lavfi, pictures, tone, type Studio } from '../../media/testing/recordings.ts';
import { openSourceServer } from '../../services/extractor/testing/source.ts';
import { openStage } from '../../services/extractor/testing/stage.ts';
import { binaryMutations } from './mutations.ts';
import type { FuzzedFormat, FuzzReader } from './trial.ts';

/** A small file may take so long on a busy machine; one that takes longer would have gone on for ever. */
const maxMilliseconds = 60_000;
/** Of so many videos, the pictures of one are looked at, too. */
const pictured = 8;

const noise = lavfi('anoisesrc=duration=1:amplitude=0.3:sample_rate=16000');
const sound = [...tone(1), '-ar', '16000'];
const video = [...tone(1), ...pictures(1), '-ar', '22050', '-pix_fmt', 'yuv420p'];

/** What ffmpeg makes the recordings to mutate of: two a format. */
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

/** Under which extension containers are met that have none of their own here. */
const metAs: { readonly [format: string]: string } = { ts: 'mp4', latm: 'aac' };

/** The extension under which a format's files are registered. */
export function extensionOf(format: string): string {
  return metAs[format] ?? format;
}

/** Reads recordings by the stage that reads them in the program, from a source on this machine. */
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
        extractContentFromVideoFrames: kind === 'video' && count++ % pictured === 0,
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

/** The recordings whose files are mutated, a row each: to add a format, add a row to `made`. */
export function recordingFormats(studio: Studio): FuzzedFormat[] {
  return Object.entries(made).map(([format, recipes]) => ({
    name: format,
    originals: () =>
      Promise.all(recipes.map(async (recipe, at) => readFileSync(await studio.make(`${at}.${format}`, ...recipe)))),
    mutations: binaryMutations,
    // Half of the time goes into the start of programs.
    lanes: 2,
    open: () => recordingReader(format),
    codes: ['read', 'media_unreadable', 'media_encrypted', 'audio_too_long'],
  }));
}
