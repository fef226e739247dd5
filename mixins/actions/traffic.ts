import type * as answers from '../../models/schemas/answers/delivery-analytics.ts';
import * as queries from '../../models/schemas/delivery-analytics.ts';
import { anyText, caller } from '../../models/schemas/internal.ts';
import { list, required, type Infer } from '../../models/schemas/schema.ts';
import { integer, uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

const asked = { caller: required(caller) };

/** A part of a download of a breakdown. */
interface ExportPage {
  exportId: string;
  csv: string;
  /** Where the next part begins; null after the last one. */
  next: string[] | null;
}

/** Actions of the traffic actor: what edges delivered. */
export const trafficActions = {
  /** Stores a batch of an edge: each counts once, however often it arrives. */
  recordBatch: action({
    params: { writer: required(anyText), number: required(integer(1)), lines: required(anyText) },
    result: type<{ isNew: boolean }>(),
    repeatable: true,
  }),
  deliveryAnalytics: action({
    params: { ...asked, ...queries.deliveryAnalyticsQuery },
    result: type<Infer<typeof answers.deliveryAnalyticsAnswer>>(),
    repeatable: true,
  }),
  resourceUsage: action({
    params: { ...asked, ...queries.resourceUsageQuery },
    result: type<Infer<typeof answers.resourceUsageAnswer>>(),
    repeatable: true,
  }),
  trafficAnalytics: action({
    params: { ...asked, ...queries.trafficAnalyticsQuery },
    result: type<Infer<typeof answers.trafficAnalyticsAnswer>>(),
    repeatable: true,
  }),
  /** The breakdown, or the first part of its download. */
  breakdown: action({
    params: { ...asked, ...queries.breakdownQuery },
    result: type<Infer<typeof answers.breakdownAnswer> | ExportPage>(),
    repeatable: true,
  }),
  exportPage: action({
    params: {
      ...asked,
      ...queries.breakdownQuery,
      exportId: required(anyText),
      after: required(list(anyText, 3, 3)),
    },
    result: type<ExportPage>(),
    repeatable: true,
  }),
  closeExport: action({ params: { ...asked, exportId: required(anyText) }, result: type<null>(), repeatable: true }),
  previewRule: action({
    params: { ...asked, bucketId: required(uuid), preview: required(queries.previewBody) },
    result: type<Infer<typeof answers.previewAnswer>>(),
    repeatable: true,
  }),
};
