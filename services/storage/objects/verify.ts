import { createHash } from 'node:crypto';
import type { AppContext } from '../../../mixins/app-context.ts';
import type { Intake } from '../../../mixins/lifecycle.ts';
import { checksumWork } from '../../../mixins/storage/checksum-work.ts';
import * as transitions from '../../../mixins/work/transitions.ts';
import { stageWorker, type StageResult, type StageWork } from '../../../mixins/work/worker.ts';
import type { ChecksumCheck, ObjectEntry, StoredObject } from '../../../models/storage-object.ts';
import { writeAttempts, type Storage } from '../tools.ts';
import { edgeEntry } from './entries.ts';
import { outboxDelayMs } from './outbox.ts';
import { settleObject } from './settle.ts';
import { objectBusy, objectsOf } from './tools.ts';

/** Digests that a process checks at a time. */
export const checksumSlots = { verifying: 2 };

/** The intake that checks declared digests in this process. */
export function checksumWorker(app: AppContext, storage: Storage): Intake {
  return stageWorker(app, checksumWork(app), {
    stage: 'verifying',
    slots: checksumSlots.verifying,
    changed: (organizationId, stages) => storage.wakeUp(organizationId, stages),
    work: (given) => verify(storage, given),
  });
}

/**
 * Reads the bytes of an object and compares their SHA-256 with the declared one. An object that has another is disabled
 * with its bytes: it is listed, and delivered nowhere.
 */
async function verify(
  storage: Storage,
  { document: check, signal }: Pick<StageWork<ChecksumCheck>, 'document' | 'signal'>,
): Promise<StageResult<ChecksumCheck>> {
  const { objects } = storage.app;
  const hash = createHash('sha256');
  if (check.size > 0)
    for await (const piece of objects.read(check.content, { from: 0, to: check.size - 1 })) {
      signal.throwIfAborted();
      hash.update(piece);
    }
  await recordVerdict(storage, check, hash.digest('hex') === check.sha256);
  return (document, now) => transitions.complete(document, 'ready', now);
}

/** Writes the verdict on a content, unless the object has another by now. Idempotent. */
async function recordVerdict(storage: Storage, check: ChecksumCheck, isSame: boolean): Promise<void> {
  const { app } = storage;
  const objects = objectsOf(app, check.organizationId);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const object = await objects.get(check.objectId);
    if (object === null || object.contentId !== check.content.id || object.checksumState !== 'unverified') return;
    const checked = checkedEntries(object, isSame);
    const written = await objects.update(
      object._id,
      { version: object.version },
      isSame
        ? {
            set: {
              checksumState: 'verified',
              ...(checked.length === 0
                ? {}
                : { outboxDue: Math.min(object.outboxDue ?? Infinity, app.records.time() + outboxDelayMs) }),
            },
            increment: { version: 1 },
            ...(checked.length === 0 ? {} : { push: { outbox: checked } }),
          }
        : {
            set: {
              checksumState: 'mismatch',
              state: 'disabled',
              updatedAt: Math.max(app.runtime.now(), object.updatedAt),
              outboxDue: Math.min(object.outboxDue ?? Infinity, app.records.time() + outboxDelayMs),
            },
            increment: { version: 1 },
            push: { outbox: [edgeEntry(object), ...checked] },
          },
    );
    if (written === null) continue;
    if (!isSame)
      app.log.warn({ objectId: object._id, bucketId: object.bucketId }, 'an object has not its declared SHA-256');
    if (written.outbox.length > 0) await settleObject(storage, written);
    return;
  }
  throw objectBusy();
}

/** A video waits for the check of its source. */
function checkedEntries({ videoId, content }: StoredObject, isSame: boolean): ObjectEntry[] {
  return videoId === undefined
    ? []
    : [{ id: `checked:${content.id}`, kind: 'checked', notBefore: 0, videoId, contentId: content.id, isSame }];
}
