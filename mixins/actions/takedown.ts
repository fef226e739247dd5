import { required } from '../../models/schemas/schema.ts';
import { boolean, uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

/** Actions of the storage actor for the operator alone: no route leads to them. */
export const takedownActions = {
  suspendBucket: action({
    params: { bucketId: required(uuid), isSuspended: required(boolean) },
    result: type<{ bucketId: string; name: string; suspended: boolean }>(),
    repeatable: true,
  }),
  takeDownObject: action({
    params: { objectId: required(uuid), isDown: required(boolean) },
    result: type<{ objectId: string; key: string; state: 'stored' | 'disabled' }>(),
    repeatable: true,
  }),
  takeDownVideo: action({
    params: { videoId: required(uuid), isDown: required(boolean) },
    result: type<{ videoId: string; title: string; disabled: boolean }>(),
    repeatable: true,
  }),
};
