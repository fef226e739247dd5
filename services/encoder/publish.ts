import type { Bucket } from '../../models/bucket.ts';
import {
  videoFiles,
  videoFolder,
  type EncodingPlan,
  type PlannedRendition,
  type Video,
  type VideoEntry,
  type VideoRendition,
} from '../../models/video.ts';
import { bitRates, codecOf, masterPlaylist, type MasterRendition, type Segment } from './playlists.ts';
import { folderOf, initOf, renditionName, writePlaylist, type Encoding } from './renditions.ts';

/** Writes the playlists of renditions that are complete, and at last the one that names them. */
export async function publish(
  encoding: Encoding,
  targets: readonly PlannedRendition[],
): Promise<{ renditions: VideoRendition[]; seconds: number }> {
  const { plan, video, files } = encoding;
  const sound = plan.audioIndex === null ? [] : await writePlaylist(encoding, 'audio');
  const heard = bitRates(sound);
  const renditions: MasterRendition[] = [];
  let seconds = 0;
  for (const target of targets) {
    const segments: Segment[] = await writePlaylist(encoding, renditionName(target));
    seconds = segments.reduce((sum, segment) => sum + segment.seconds, 0);
    const seen = bitRates(segments);
    renditions.push({
      height: target.height,
      width: target.width,
      bandwidth: seen.peak + heard.peak,
      mean: seen.mean + heard.mean,
      codec: codecOf(await initOf(encoding, target)),
      uri: `${folderOf(video, renditionName(target))}index.m3u8`,
    });
  }
  const audioUri = sound.length === 0 ? null : `${folderOf(video, 'audio')}index.m3u8`;
  const text = masterPlaylist(renditions, audioUri, plan.frameRate);
  await files.write([{ name: videoFiles.master, bytes: { text } }]);
  return { renditions: renditions.map(({ height, width, bandwidth }) => ({ height, width, bandwidth })), seconds };
}

/** What the probe found, as the API shows it. @param seconds of what was encoded, where the header does not say */
export function foundOf(
  { durationSeconds, width, height, audioIndex }: EncodingPlan,
  seconds: number,
): { durationSeconds: number; width: number; height: number; hasAudio: boolean } {
  const length = Number((durationSeconds ?? seconds).toFixed(6));
  return { durationSeconds: length, width, height, hasAudio: audioIndex !== null };
}

/** Edges drop the copies of files that were written again. */
export function edgeEntry({ _id, libraryId, run }: Video, now: number): VideoEntry {
  const targets = Object.values(videoFiles).map((name) => `${videoFolder(_id)}${name}`);
  return {
    id: `edge:${run.stageSeq}:${now}`,
    kind: 'edge',
    notBefore: 0,
    change: { kind: 'purge', bucketId: libraryId, scope: 'urls', targets },
  };
}

/** The minutes of an encoding, metered once. @param seconds of the source @param at milliseconds */
export function usageEntry(video: Video, library: Bucket, seconds: number, at: number): VideoEntry {
  const { _id: videoId, accountId, organizationId, libraryId, generation } = video;
  return {
    id: `usage:${generation}`,
    kind: 'usage',
    notBefore: 0,
    event: {
      _id: `${videoId}:${generation}:encoding_minutes`,
      accountId,
      organizationId,
      assetId: null,
      resourceId: libraryId,
      metric: 'encoding_minutes',
      dimension: library.region,
      quantity: Math.round(seconds * 1000),
      at,
    },
  };
}
