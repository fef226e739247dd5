import { signingKeyContext, type Bucket, type BucketSigning } from '../../models/bucket.ts';
import { linkKeyBytes, type LinkKey } from '../../models/links/token.ts';
import type { AppContext } from '../app-context.ts';

const keyBytes = 32;
/** Six bytes are the 8 characters of a key id. */
const keyIdBytes = 6;

/** A new signing key for a bucket. */
export function newSigning(
  { runtime, sealer }: Pick<AppContext, 'runtime' | 'sealer'>,
  bucketId: string,
): BucketSigning {
  return {
    keyId: runtime.secret(keyIdBytes),
    sealedKey: sealer.seal(runtime.secret(keyBytes), signingKeyContext(bucketId)),
  };
}

/** The signing key of a bucket, as its profile shows it. @throws SealBroken */
export function openedKey(
  { sealer }: Pick<AppContext, 'sealer'>,
  bucketId: string,
  { sealedKey }: BucketSigning,
): string {
  return sealer.open(sealedKey, signingKeyContext(bucketId));
}

/** The key that a bucket's links are signed and verified with; null where it has none yet. @throws SealBroken */
export function linkKeyOf(
  app: Pick<AppContext, 'sealer'>,
  { _id, signing }: Pick<Bucket, '_id' | 'signing'>,
): LinkKey | null {
  return signing === undefined ? null : { keyId: signing.keyId, key: linkKeyBytes(openedKey(app, _id, signing)) };
}
