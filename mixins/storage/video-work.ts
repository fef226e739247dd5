import { videoFailures, videos, type Video, type VideoEntry, type VideoFailure } from '../../models/video.ts';
import type { AppContext } from '../app-context.ts';
import type { WorkFailure, WorkKind } from '../work/kind.ts';
import { publishEvents } from '../webhooks/publish-events.ts';
import { recordAudit } from './audit.ts';
import { announced } from './video-events.ts';

/** Attempts at a stage of the encoding before a failure that may pass is final. */
const encodingAttempts = 5;

/**
 * Why work on a video was not done: its source is at fault, which an error's `code` says, or what may pass.
 */
function failureOf(error: unknown): WorkFailure {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const known = videoFailures.find((each) => each === code);
  if (known !== undefined) return { code: known, outcome: 'definite' };
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

/** Work on videos: encoding them, and removing the files of deleted ones. */
export function videoWork(app: Pick<AppContext, 'records' | 'metrics' | 'edgeChanges' | 'runtime'>): WorkKind<Video> {
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
    deliver: async (_, items) => {
      const of = <K extends VideoEntry['kind']>(kind: K): Extract<VideoEntry, { kind: K }>[] =>
        items.filter((item): item is Extract<VideoEntry, { kind: K }> => item.kind === kind);
      const changes = of('edge').map(({ change }) => change);
      if (changes.length > 0) await app.edgeChanges.append(changes);
      const events = of('event').map(({ event }) => event);
      if (events.length > 0) await publishEvents(app, events);
      const rows = of('audit').map(({ row }) => row);
      if (rows.length > 0) await recordAudit(app, rows);
    },
    failureOf,
    context: () => ({}),
    measure: ({ stage, outcome, seconds }) =>
      app.metrics.stageSeconds.observe({ stage, format: 'video', outcome }, seconds),
    ended: ({ run }) => app.metrics.jobsEnded.inc({ state: run.state, code: run.errorCode ?? 'none' }),
  };
}
