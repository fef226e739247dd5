import type { deliveryAnalyticsAnswer, resourceUsageAnswer } from '../../models/schemas/answers/delivery-analytics.ts';
import { deliveryAnalyticsQuery, resourceUsageQuery } from '../../models/schemas/delivery-analytics.ts';
import { anyText, caller } from '../../models/schemas/internal.ts';
import { required, type Infer } from '../../models/schemas/schema.ts';
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
  deliveryAnalytics: action({
    params: { caller: required(caller), ...deliveryAnalyticsQuery },
    result: type<Infer<typeof deliveryAnalyticsAnswer>>(),
    repeatable: true,
  }),
  resourceUsage: action({
    params: { caller: required(caller), ...resourceUsageQuery },
    result: type<Infer<typeof resourceUsageAnswer>>(),
    repeatable: true,
  }),
};
