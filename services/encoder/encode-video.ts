import { announced } from '../../mixins/storage/video-events.ts';
import * as transitions from '../../mixins/work/transitions.ts';
import type { StageResult, StageWork } from '../../mixins/work/worker.ts';
import { systemScope } from '../../models/scope.ts';
import { videoFiles, videos, type Video } from '../../models/video.ts';
import { libraryOf, withEncoding, type EncoderTools } from './begin-encoding.ts';
import { encodeAudio } from './audio.ts';
import { makeDownload, makePoster, makeThumbnails } from './extras.ts';
import { edgeEntry, foundOf, publish, usageEntry } from './publish.ts';
import { encodeRenditions, type Encoding, type Making } from './renditions.ts';
import { SharedRuns } from './shared-runs.ts';

/** How long a video is worked on while others wait for their turn, in milliseconds. */
const sliceMs = 120_000;

/** Probes the source and makes the lowest rendition with the audio: then the video plays. */
export async function encodeFirst(tools: EncoderTools, work: StageWork<Video>): Promise<StageResult<Video>> {
  return withEncoding(tools, work, async (encoding) => {
    const { plan, files } = encoding;
    const lowest = plan.renditions.slice(0, 1);
    const making = shared(tools, work, encoding);
    const isDone = (await encodeAudio(encoding, making.goesOn)) && (await encodeRenditions(encoding, lowest, making));
    if (!isDone) return anotherTime('encoding_first');
    const { renditions, seconds } = await publish(encoding, lowest);
    const storedBytes = (encoding.video.source?.size ?? 0) + (await files.bytes());
    return (video, now) => {
      const { fields, entry } = announced(tools.app, video, 'playable');
      return atOnce(
        now,
        transitions.advance(video, 'encoding_rest', now, {
          document: {
            ...fields,
            ...foundOf(plan, seconds),
            encoding: plan.settings,
            renditions,
            claims: {},
            plays: true,
            storedBytes,
            playableAt: fields.updatedAt,
            readyAt: null,
            encodingMinutes: null,
          },
          outbox: [entry, edgeEntry(video, now)],
        }),
      );
    };
  });
}

/** Makes the other renditions from one decoding, and the other files: then the video is ready. */
export async function encodeRest(tools: EncoderTools, work: StageWork<Video>): Promise<StageResult<Video>> {
  return withEncoding(tools, work, async (encoding) => {
    const { plan, files } = encoding;
    const { settings } = plan;
    const [lowest, ...others] = plan.renditions;
    const highest = plan.renditions.at(-1);
    if (lowest === undefined || highest === undefined) throw new Error('a plan has no rendition');
    const isDone = others.length === 0 || (await encodeRenditions(encoding, others, shared(tools, work, encoding)));
    if (!isDone) return anotherTime('encoding_rest');
    const poster = await makePoster(encoding);
    const thumbnails = settings.thumbnails && (await makeThumbnails(encoding, lowest));
    const download = settings.download && (await makeDownload(encoding, highest));
    const { renditions, seconds } = await publish(encoding, plan.renditions);
    // Only now: players may still hold playlists and pictures of the encoding before.
    await files.removeFormer([
      ...(poster ? [] : [videoFiles.poster]),
      ...(thumbnails ? [] : [videoFiles.thumbnails]),
      ...(download ? [] : [videoFiles.download]),
    ]);
    const fileBytes = await files.bytes();
    const library = await libraryOf(tools, encoding.video);
    return (video, now) => {
      const { fields, entry } = announced(tools.app, video, 'ready');
      const source = settings.keepOriginal ? video.source : null;
      const found = foundOf(plan, seconds);
      return transitions.complete(video, 'ready', now, {
        document: {
          ...fields,
          ...found,
          renditions,
          claims: {},
          poster,
          thumbnails,
          download,
          source,
          storedBytes: (source?.size ?? 0) + fileBytes,
          readyAt: fields.updatedAt,
          encodingMinutes: Number((found.durationSeconds / 60).toFixed(6)),
        },
        outbox: [
          entry,
          edgeEntry(video, now),
          usageEntry(video, library, found.durationSeconds, fields.updatedAt),
          ...(source === null ? [{ id: 'drop_source', kind: 'drop_source' as const, notBefore: 0 }] : []),
        ],
      });
    };
  });
}

/** The video goes on after others had their turn. */
function anotherTime(stage: 'encoding_first' | 'encoding_rest'): StageResult<Video> {
  return (video, now) => transitions.advance(video, stage, now);
}

/** Shares the video with other encoders, and goes on while nobody waits for the stage, or its time is not over. */
function shared({ app }: EncoderTools, { progress, document, signal }: StageWork<Video>, { video }: Encoding): Making {
  const until = app.runtime.now() + sliceMs;
  const all = app.records.collection(videos, systemScope);
  let hasLosses = document.run.lostLeases > 0;
  const goesOn = async (share: number): Promise<boolean> => {
    progress(100 * share);
    // Encoders that were lost before do not count against a video that has gone on since.
    if (hasLosses) await all.update(video._id, transitions.whileLeased(document), transitions.blameless);
    hasLosses = false;
    if (app.runtime.now() < until) return true;
    const waiting = { 'run.phase': 'waiting', 'run.stage': document.run.stage };
    return (await all.pick({ filter: waiting, limit: 1 }, ['_id'])).length === 0;
  };
  return { shared: new SharedRuns(app, video, signal), helps: false, goesOn };
}

/** The outbox of a stage is delivered at once, not at the end of the run. */
function atOnce(now: number, { filter, change }: transitions.Transition): transitions.Transition {
  return { filter, change: { ...change, set: { ...change.set, outboxDue: now } } };
}
