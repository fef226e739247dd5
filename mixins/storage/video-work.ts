import { videoFailures, videos, type Video, type VideoEntry, type VideoFailure } from '../../models/video.ts';
import { call, type ActionCaller } from '../actions/call.ts';
import type { AppContext } from '../app-context.ts';
import * as transitions from '../work/transitions.ts';
import type { WorkFailure, WorkKind } from '../work/kind.ts';
import { publishEvents, type WakeUp } from '../webhooks/publish-events.ts';
import { recordAudit } from './audit.ts';
import { announced } from './video-events.ts';

/** Attempts at a stage of the encoding before a failure that may pass is final. */
const encodingAttempts = 5;
/** How long a video of a deleted library waits before it is looked at again, in milliseconds. */
const libraryPauseMs = 60_000;

/**
 * Why work on a video was not done: its source is at fault, which an error's `code` says, or what may pass.
 */
function failureOf(error: unknown): WorkFailure {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const known = videoFailures.find((each) => each === code);
  if (known !== undefined) return { code: known, outcome: 'definite' };
  const type = error instanceof Error && 'type' in error ? error.type : null;
  if (type === 'bucket_not_active') return { code: 'library_not_active', outcome: 'access' };
  const isAway = error instanceof Error && error.name === 'StoreUnavailable';
  return { code: isAway ? 'store_unavailable' : 'internal_error', outcome: 'temporary' };
}

/** The code that the API shows: one that is not documented is a failure of the encoding. */
function shownCode(code: string): VideoFailure {
  return videoFailures.find((each) => each === code) ?? 'encoding_failed';
}

/** Whether a video still plays as it was encoded before: its new encoding has made nothing yet. */
function playsAsBefore({ plays, run }: Video): boolean {
  return plays && run.stage === 'encoding_first';
}

/** Work on videos: encoding them, and removing the files of deleted ones. @param wakeUp once there are webhooks to send */
export function videoWork(
  app: Pick<AppContext, 'records' | 'metrics' | 'edgeChanges' | 'runtime'>,
  actions: ActionCaller,
  wakeUp: WakeUp,
): WorkKind<Video> {
  return {
    collection: videos,
    stages: ['encoding_first', 'encoding_rest', 'removing_video'],
    cleanup: (video, _, code) =>
      code === undefined || playsAsBefore(video) ? [] : [announced(app, video, 'failed', shownCode(code)).entry],
    failed: (video, code) =>
      playsAsBefore(video)
        ? { status: 'ready', errorCode: shownCode(code), updatedAt: Math.max(app.runtime.now(), video.updatedAt) }
        : { ...announced(app, video, 'failed', shownCode(code)).fields, plays: false },
    maxAttempts: ({ run }) => (run.stage === 'removing_video' ? Infinity : encodingAttempts),
    deliver: async (video, items) => {
      const of = <K extends VideoEntry['kind']>(kind: K): Extract<VideoEntry, { kind: K }>[] =>
        items.filter((item): item is Extract<VideoEntry, { kind: K }> => item.kind === kind);
      const changes = of('edge').map(({ change }) => change);
      if (changes.length > 0) await app.edgeChanges.append(changes);
      const events = of('event').map(({ event }) => event);
      if (events.length > 0) await publishEvents(app, events, wakeUp);
      const rows = of('audit').map(({ row }) => row);
      if (rows.length > 0) await recordAudit(app, rows);
      const used = of('usage').map(({ event }) => event);
      if (used.length > 0) await call(actions, 'ledger.record', { events: used });
      if (of('drop_source').length > 0)
        await call(actions, 'storage.removeVideoSource', { organizationId: video.organizationId, videoId: video._id });
    },
    failureOf,
    // Nothing counts against the video while its library is deleted: it may be restored.
    pause: (video, code, now) => {
      const { filter, change } = transitions.pause(video, 'queued', code, now);
      const set = { ...change.set, 'run.phase': 'put_off', 'run.dueAt': now + libraryPauseMs };
      return { filter, change: { ...change, set } };
    },
    context: () => ({}),
    measure: ({ stage, outcome, seconds }) =>
      app.metrics.stageSeconds.observe({ stage, format: 'video', outcome }, seconds),
    ended: ({ run }) => app.metrics.jobsEnded.inc({ state: run.state, code: run.errorCode ?? 'none' }),
  };
}
