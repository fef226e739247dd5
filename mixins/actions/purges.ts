import type { PurgeView } from '../../models/purge.ts';
import { caller } from '../../models/schemas/internal.ts';
import { newPurge, purgePage } from '../../models/schemas/purges.ts';
import { required } from '../../models/schemas/schema.ts';
import { uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

/** Actions of the storage actor about purges. */
export const purgeActions = {
  createPurge: action({
    params: { caller: required(caller), bucketId: required(uuid), purge: required(newPurge) },
    result: type<PurgeView>(),
    repeatable: false,
  }),
  listPurges: action({
    params: { caller: required(caller), ...purgePage },
    result: type<{ items: PurgeView[]; nextCursor: string | null }>(),
    repeatable: true,
  }),
  readPurge: action({
    params: { caller: required(caller), purgeId: required(uuid) },
    result: type<PurgeView>(),
    repeatable: true,
  }),
};
