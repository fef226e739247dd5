import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { emitEvent } from '../../mixins/events.ts';
import type { StagesMetadata } from '../../mixins/work/worker.ts';
import type { Region } from '../../models/region.ts';
import { changeBucket, removeBucket, restoreBucket, retryBucket } from './buckets/change.ts';
import { createBucket } from './buckets/create.ts';
import { checkBucketName, listBuckets, listRegions, readBucket } from './buckets/read.ts';
import { bucketSlots, bucketWorkers } from './buckets/work.ts';
import { readSigningProfile, rotateSigningKey } from './links/signing-key.ts';
import type { Storage } from './tools.ts';

/** The actor of buckets and their objects. */
export function storageService(app: AppContext, broker: ServiceBroker, regions: readonly Region[]): ServiceSchema {
  const storage: Storage = {
    app,
    actions: broker,
    regions,
    wakeUp: (organizationId, stages) => emitEvent(broker, 'runs.changed', { organizationId, stages }),
  };
  const content = { abortUploads: () => Promise.resolve(), removeAll: () => Promise.resolve() };
  for (const intake of bucketWorkers(app, storage, content)) app.lifecycle.add(intake);
  const metadata: StagesMetadata = { stages: { ...bucketSlots } };
  return {
    name: 'storage',
    metadata,
    actions: actionsOf('storage', {
      listRegions: () => listRegions(storage),
      createBucket: ({ caller, id, bucket }) => createBucket(storage, caller, id, bucket),
      listBuckets: ({ caller }) => listBuckets(storage, caller),
      readBucket: ({ caller, bucketId }) => readBucket(storage, caller, bucketId),
      changeBucket: ({ caller, bucketId, change }) => changeBucket(storage, caller, bucketId, change),
      removeBucket: ({ caller, bucketId }) => removeBucket(storage, caller, bucketId),
      restoreBucket: ({ caller, bucketId }) => restoreBucket(storage, caller, bucketId),
      retryBucket: ({ caller, bucketId }) => retryBucket(storage, caller, bucketId),
      readSigningProfile: ({ caller, bucketId }) => readSigningProfile(storage, caller, bucketId),
      rotateSigningKey: ({ caller, bucketId }) => rotateSigningKey(storage, caller, bucketId),
      checkBucketName: ({ caller, name }) => checkBucketName(storage, caller, name),
    }),
  };
}
