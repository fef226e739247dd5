import type { Intake } from '../../../mixins/lifecycle.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import { stageWorker, type StageResult, type StageWork } from '../../../mixins/work/worker.ts';
import * as transitions from '../../../mixins/work/transitions.ts';
import { retiredNames, type Bucket, type BucketStage } from '../../../models/bucket.ts';
import { systemScope } from '../../../models/scope.ts';
import type { Storage } from '../tools.ts';
import { bucketWork, edgeEntry } from '../../../mixins/storage/bucket-work.ts';

/** Buckets that a process works on at a time, by stage. */
export const bucketSlots: { readonly [S in BucketStage]: number } = { provisioning: 8, retiring: 4, emptying: 2 };

/** What the stages do with the content of a bucket. */
export interface BucketContent {
  /** Aborts the uploads that are open. */
  abortUploads(bucket: Bucket): Promise<void>;
  /** Removes objects, uploads and totals; their bytes are swept. */
  removeAll(bucket: Bucket, signal: AbortSignal): Promise<void>;
}

/**
 * Makes a bucket: its hostname is its name's, which is unique since the bucket exists; its storage must answer; edges
 * learn of it with their next look; and a proxy in front has the certificate.
 */
async function provision({ app }: Storage): Promise<StageResult<Bucket>> {
  await app.objects.ping();
  return (bucket, now) => {
    const at = app.runtime.now();
    return transitions.complete(bucket, 'ready', now, {
      document: { state: 'active', failureReason: null, provisionedAt: bucket.provisionedAt ?? at, updatedAt: at },
      outbox: [edgeEntry(app.runtime, bucket)],
    });
  };
}

/** Takes a deleted bucket out of service. Its content is removed when the window has passed. */
async function retire({ app }: Storage, content: BucketContent, bucket: Bucket): Promise<StageResult<Bucket>> {
  await content.abortUploads(bucket);
  return (document, now) => {
    const { filter, change } = transitions.advance(document, 'emptying', now, { document: { state: 'deleted' } });
    const wait = Math.max(0, (document.purgeAfter ?? 0) - app.runtime.now());
    return { filter, change: { ...change, set: { ...change.set, 'run.phase': 'put_off', 'run.dueAt': now + wait } } };
  };
}

/** Removes the content of a bucket whose window has passed, and gives its name free, or retires it. */
async function empty(
  { app }: Storage,
  content: BucketContent,
  { document: bucket, signal }: StageWork<Bucket>,
): Promise<StageResult<Bucket>> {
  await content.removeAll(bucket, signal);
  if (bucket.everPublic)
    await app.records
      .collection(retiredNames, systemScope)
      .insertNew([{ _id: bucket.name, accountId: bucket.accountId, retiredAt: app.runtime.now() }]);
  return (document, now) => {
    const { filter, change } = transitions.complete(document, 'ready', now, {
      document: { purgedAt: app.runtime.now() },
    });
    return { filter, change: { ...change, unset: ['nameKey', 'listedAt'] } };
  };
}

/** The intakes that work on buckets in this process. */
export function bucketWorkers(app: AppContext, storage: Storage, content: BucketContent): Intake[] {
  const kind = bucketWork(app);
  const changed = (organizationId: string, stages: readonly string[]): void => storage.wakeUp(organizationId, stages);
  const worker = (stage: BucketStage, work: (given: StageWork<Bucket>) => Promise<StageResult<Bucket>>): Intake =>
    stageWorker(app, kind, { stage, slots: bucketSlots[stage], changed, work });
  return [
    worker('provisioning', () => provision(storage)),
    worker('retiring', ({ document }) => retire(storage, content, document)),
    worker('emptying', (given) => empty(storage, content, given)),
  ];
}
