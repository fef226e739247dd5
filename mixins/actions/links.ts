import type { LinkView, SigningProfileView } from '../../models/bucket.ts';
import { caller } from '../../models/schemas/internal.ts';
import { signBody } from '../../models/schemas/links.ts';
import { required } from '../../models/schemas/schema.ts';
import { uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

const ofBucket = { caller: required(caller), bucketId: required(uuid) };

/** Actions of the storage actor about signed links. */
export const linkActions = {
  readSigningProfile: action({ params: ofBucket, result: type<SigningProfileView>(), repeatable: true }),
  // Each run makes another key.
  rotateSigningKey: action({ params: ofBucket, result: type<SigningProfileView>(), repeatable: false }),
  sign: action({
    params: { caller: required(caller), request: required(signBody) },
    result: type<LinkView>(),
    repeatable: true,
  }),
};
