import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  downloadArguments,
  framesPerKey,
  posterArguments,
  spriteArguments,
  spriteSide,
} from '../../media/video-commands.ts';
import { videoFiles, type PlannedRendition } from '../../models/video.ts';
import { thumbnailsVtt } from './playlists.ts';
import { fileOrNull, folderOf, pictureSource, renditionName, type Encoding } from './renditions.ts';
import { inFolder, runProgram } from './run.ts';

/** Highest poster, in lines. */
const posterHeight = 720;
/** Width of the small pictures, in pixels. */
const thumbnailWidth = 160;
/** Most small pictures of a video. */
const maxThumbnails = 400;

/** Makes the poster. Returns whether there is one: a source without a picture that can be read has none. */
export async function makePoster(encoding: Encoding): Promise<boolean> {
  const { plan, files, workshop } = encoding;
  const size = sizeOf(plan, Math.min(plan.height, posterHeight));
  return inFolder(workshop, 'poster', async (path) => {
    const to = join(path, videoFiles.poster);
    await runProgram(workshop, 'ffmpeg', posterArguments(await pictureSource(encoding), size, to));
    const bytes = await fileOrNull(to);
    if (bytes === null || bytes.length === 0) return false;
    await files.write([{ name: videoFiles.poster, bytes: { path: to } }]);
    return true;
  });
}

/** Makes sheets of small pictures of the lowest rendition, whose key frames are at known times. */
export async function makeThumbnails(encoding: Encoding, lowest: PlannedRendition): Promise<boolean> {
  const { plan, video, files, workshop } = encoding;
  const keySeconds = (framesPerKey(plan.frameRate) * plan.frameRate.den) / plan.frameRate.num;
  const { segments } = await files.segments(folderOf(video, renditionName(lowest)));
  const seconds = segments.reduce((sum, segment) => sum + segment.seconds, 0);
  const step = Math.max(1, Math.ceil(seconds / maxThumbnails / keySeconds));
  const size = {
    width: thumbnailWidth,
    height: sizeOf(lowest, (thumbnailWidth * lowest.height) / lowest.width).height,
  };
  const folder = folderOf(video, 'thumbnails');
  return inFolder(workshop, 'thumbnails', async (path) => {
    const joined = await joinRendition(encoding, renditionName(lowest), path);
    const end = await runProgram(
      workshop,
      'ffmpeg',
      spriteArguments(joined, step, size, join(path, 'sprite_%03d.jpg')),
    );
    const sheets = (await readdir(path)).filter((name) => name.startsWith('sprite_')).sort();
    if (end.code !== 0 || sheets.length === 0) return false;
    const count = Math.min(
      Math.ceil(seconds / (step * keySeconds) - 1e-6) || 1,
      sheets.length * spriteSide * spriteSide,
    );
    const vtt = thumbnailsVtt({
      sheet: (number) => `${folder}sprite_${String(number).padStart(3, '0')}.jpg`,
      count,
      side: spriteSide,
      ...size,
      interval: step * keySeconds,
      seconds,
    });
    await files.write([
      ...sheets.map((name) => ({ name: `${folder}${name}`, bytes: { path: join(path, name) } })),
      { name: videoFiles.thumbnails, bytes: { text: vtt } },
    ]);
    return true;
  });
}

/** Makes one file of the highest rendition and the audio, for downloads. */
export async function makeDownload(encoding: Encoding, highest: PlannedRendition): Promise<boolean> {
  const { plan, files, workshop } = encoding;
  return inFolder(workshop, 'download', async (path) => {
    const picture = await joinRendition(encoding, renditionName(highest), path);
    const sound = plan.audioIndex === null ? null : await joinRendition(encoding, 'audio', path);
    const to = join(path, videoFiles.download);
    const end = await runProgram(workshop, 'ffmpeg', downloadArguments(picture, sound, to));
    if (end.code !== 0) throw new Error(`making the download ended with ${end.signal ?? end.code}`);
    await files.write([{ name: videoFiles.download, bytes: { path: to } }]);
    return true;
  });
}

/** The header and all segments of a rendition as one file. */
async function joinRendition({ video, files, workshop }: Encoding, name: string, path: string): Promise<string> {
  const folder = folderOf(video, name);
  const { segments } = await files.segments(folder);
  const joined = join(path, `${name}.mp4`);
  const parts = ['init.mp4', ...segments.map((segment) => segment.name)];
  await files.join(
    parts.map((part) => `${folder}${part}`),
    joined,
    workshop.signal,
  );
  return joined;
}

/** A picture of a height in the shape of another, with even sides. */
function sizeOf(shape: { width: number; height: number }, height: number): { width: number; height: number } {
  const even = (value: number): number => Math.max(2, 2 * Math.round(value / 2));
  const lines = even(height);
  return { width: even((shape.width * lines) / shape.height), height: lines };
}
