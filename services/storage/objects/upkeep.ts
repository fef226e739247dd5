import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import { oldestQueued } from '../../../mixins/work/oldest-queued.ts';
import { drainDueOutboxes } from '../../../mixins/work/outbox.ts';
import { refusalOf } from '../../../models/errors.ts';
import { systemScope } from '../../../models/scope.ts';
import { checksumChecks, releasedContents } from '../../../models/storage-object.ts';
import { allCredentials, credentialOutbox } from '../credentials/tools.ts';
import { foldAllDeltas } from '../totals.ts';
import type { Storage } from '../tools.ts';
import { endUpload } from '../uploads/end.ts';
import { allUploads, partsOf, uploadOutbox } from '../uploads/tools.ts';
import { allVideos } from '../videos/tools.ts';
import { sweepContents } from './sweep-contents.ts';
import { objectOutbox } from './outbox.ts';
import { allObjects } from './tools.ts';

/** Records of one round. */
const pageSize = 200;
const secondMs = 1000;
const dayMs = 24 * 3600 * secondMs;
/** How long the record of an upload that has ended can be read, in milliseconds. */
const endedUploadMs = 7 * dayMs;
/** How long the trace of a deleted object keeps its id from being used again, in milliseconds. */
const traceMs = dayMs;
/** How long a content that is being read is left alone, in milliseconds. */
const readingMs = 30 * secondMs;

/** What is repeated in the background for objects and uploads. Several processes do each other no harm. */
export function objectUpkeep(storage: Storage): Intake[] {
  const { log } = storage.app;
  const every = (name: string, everyMs: number, round: (isStopping: () => boolean) => Promise<unknown>): Intake =>
    periodicIntake({
      name,
      everyMs,
      round,
      failed: (error) => log.warn({ err: error }, `${name} failed, will retry`),
    });
  return [
    every('delivering outboxes of objects', secondMs, () => drainObjectOutboxes(storage)),
    every('ending uploads', 10 * secondMs, () => expireUploads(storage)),
    every('removing released contents', 10 * secondMs, (isStopping) => removeReleased(storage, isStopping)),
    every('removing old records of uploads and objects', 60 * secondMs, () => removeOldRecords(storage)),
    every('adding up what buckets hold', 30 * secondMs, () => foldAllDeltas(storage.app)),
    every('measuring the queue of checksum checks', 30 * secondMs, () => measureChecks(storage.app)),
    every('looking for contents without a record', dayMs / 4, () => sweepContents(storage)),
  ];
}

async function measureChecks({ records, runtime, metrics }: Storage['app']): Promise<void> {
  const oldest = await oldestQueued(records.collection(checksumChecks, systemScope), 'verifying');
  metrics.checksumsAge.set(oldest === null ? 0 : Math.max(0, runtime.now() - oldest) / 1000);
}

/** Delivers outboxes of objects and uploads that a request left behind. Returns how many. */
export async function drainObjectOutboxes(storage: Storage): Promise<number> {
  const { app } = storage;
  const ofObjects = await drainDueOutboxes(app, objectOutbox(storage), allObjects(app));
  const ofUploads = await drainDueOutboxes(app, uploadOutbox(app), allUploads(app));
  return ofObjects + ofUploads + (await drainDueOutboxes(app, credentialOutbox(app), allCredentials(app)));
}

/** Ends uploads whose time has passed. Returns how many. */
export async function expireUploads(storage: Storage): Promise<number> {
  const { app } = storage;
  const over = await allUploads(app).find({
    filter: { openUntil: { $lte: app.runtime.now() } },
    sort: [['openUntil', 1]],
    limit: pageSize,
  });
  for (const { _id, organizationId } of over)
    try {
      await endUpload(storage, organizationId, _id, 'expired');
    } catch (error) {
      // A request completes it at this moment.
      if (refusalOf(error)?.type !== 'upload_not_open') throw error;
    }
  return over.length;
}

/**
 * Removes the bytes of all released contents whose time has come, but for those that this process reads: a film leaves
 * thousands at once, and none of them waits for another round.
 * @returns how many were due
 */
export async function removeReleased({ app }: Storage, isStopping = (): boolean => false): Promise<number> {
  const released = app.records.collection(releasedContents, systemScope);
  const now = app.records.time();
  for (let sum = 0; ;) {
    const due = await released.find({ filter: { dueAt: { $lte: now } }, sort: [['dueAt', 1]], limit: pageSize });
    for (const { _id, dueAt } of due) {
      const [holder] = await allObjects(app).find({ filter: { contentId: _id }, limit: 1 });
      if (holder !== undefined || (await app.objects.remove(_id))) await released.remove(_id);
      else await released.update(_id, { dueAt }, { set: { dueAt: now + readingMs } });
    }
    sum += due.length;
    if (due.length < pageSize || isStopping()) return sum;
  }
}

/** Removes records that nobody needs any more: ended uploads, traces of deleted objects, checks that are done. */
export async function removeOldRecords({ app }: Storage): Promise<number> {
  const now = app.runtime.now();
  const ended = await allUploads(app).find({
    filter: { endedAt: { $lte: now - endedUploadMs } },
    sort: [['endedAt', 1]],
    limit: pageSize,
  });
  for (const { _id, organizationId, outbox, version } of ended) {
    if (outbox.length > 0) continue;
    const parts = partsOf(app, organizationId);
    while ((await parts.removeMany({ uploadId: _id }, pageSize)) === pageSize);
    await allUploads(app).remove(_id, { version });
  }
  const traces = await allObjects(app).find({
    filter: { goneAt: { $lte: now - traceMs } },
    sort: [['goneAt', 1]],
    limit: pageSize,
  });
  for (const { _id, outbox, version } of traces)
    if (outbox.length === 0) await allObjects(app).remove(_id, { version });
  const gone = await allVideos(app).find({
    filter: { goneAt: { $exists: true } },
    sort: [['goneAt', 1]],
    limit: pageSize,
  });
  for (const { _id, outbox, version } of gone) if (outbox.length === 0) await allVideos(app).remove(_id, { version });
  const checks = await app.records
    .collection(checksumChecks, systemScope)
    .removeMany({ 'run.phase': 'ended' }, pageSize);
  return ended.length + traces.length + gone.length + checks;
}
