import { anyText } from '../../models/schemas/internal.ts';
import { required } from '../../models/schemas/schema.ts';
import { integer } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

/** Actions of the traffic actor: what edges delivered. */
export const trafficActions = {
  /** Stores a batch of an edge: each counts once, however often it arrives. */
  recordBatch: action({
    params: { writer: required(anyText), number: required(integer(1)), lines: required(anyText) },
    result: type<{ isNew: boolean }>(),
    repeatable: true,
  }),
};
