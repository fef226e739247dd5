import type { BucketView } from '../../models/bucket.ts';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { systemRuntime } from '../../models/runtime.ts';
import type { BucketChange, NewBucket } from '../../models/schemas/buckets.ts';
import type { AnswerBody, Connection } from '../connection.ts';
import { askOperator } from '../operator.ts';

/** What is needed of a bucket's answer. */
type Summary = Pick<BucketView, 'id' | 'state' | 'visibility' | 'region' | 'deliveryBaseUrl' | 'purgeAfter'>;

/** Operations that need an admin key. */
export interface BucketAdmin {
  create(bucket: NewBucket): Promise<Summary>;
  change(bucketId: string, change: BucketChange): Promise<Summary>;
  remove(bucketId: string): Promise<Summary>;
}

/**
 * Uses the key of PLY_API_KEY, where one is given. Otherwise the operator of this machine does it: the key in the data
 * folder is a standard one.
 */
export function adminOf(configuration: Configuration, connection: Connection): BucketAdmin {
  const { organizationId } = connection;
  if (configuration.PLY_API_KEY === null)
    return {
      create: (bucket) => askOperator(configuration, 'bucket.create', { organizationId, bucket }, 'storage'),
      change: (bucketId, change) =>
        askOperator(configuration, 'bucket.change', { organizationId, bucketId, change }, 'storage'),
      remove: (bucketId) => askOperator(configuration, 'bucket.remove', { organizationId, bucketId }, 'storage'),
    };
  return {
    create: async (bucket) => summaryOf(await connection.ask('POST', '/buckets', bucket, systemRuntime.uuid())),
    change: async (bucketId, change) => summaryOf(await connection.ask('PATCH', `/buckets/${bucketId}`, change)),
    remove: async (bucketId) => summaryOf(await connection.ask('DELETE', `/buckets/${bucketId}`)),
  };
}

function summaryOf(answer: AnswerBody): Summary {
  return {
    id: String(answer['id']),
    state: answer['state'] as Summary['state'],
    visibility: answer['visibility'] as Summary['visibility'],
    region: String(answer['region']),
    deliveryBaseUrl: String(answer['deliveryBaseUrl']),
    purgeAfter: typeof answer['purgeAfter'] === 'string' ? answer['purgeAfter'] : null,
  };
}
