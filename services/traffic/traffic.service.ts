import type { ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { Region } from '../../models/region.ts';
import { addTrafficIntakes } from './intake.ts';
import { storeBatch } from './ingest.ts';
import { deliveryAnalytics } from './reading/delivery.ts';
import { breakdown, type Breakdown } from './reading/breakdown.ts';
import { closeExport, exportPage, openExport, type ExportPage } from './reading/export.ts';
import { previewRule } from './reading/preview.ts';
import { resourceUsage } from './reading/resources.ts';
import { trafficAnalytics } from './reading/series.ts';
import { figures } from './unavailable.ts';

/**
 * The actor that keeps what edges delivered. A batch of an edge has an id, and counts once however often it arrives; its
 * responses are added to totals in the background.
 */
export function trafficService(app: AppContext, regions: readonly Region[]): ServiceSchema {
  addTrafficIntakes(app);
  return {
    name: 'traffic',
    actions: actionsOf('traffic', {
      recordBatch: async (batch) => ({ isNew: await storeBatch(app, regions, batch) }),
      deliveryAnalytics: ({ caller, ...query }) => figures(() => deliveryAnalytics(app, caller, query)),
      resourceUsage: ({ caller, ...query }) => resourceUsage(app, caller, query),
      trafficAnalytics: ({ caller, ...query }) => figures(() => trafficAnalytics(app, caller, query)),
      breakdown: ({ caller, format, ...query }) =>
        figures<Breakdown | ExportPage>(() =>
          format === 'csv' ? openExport(app, caller, query) : breakdown(app, caller, query),
        ),
      exportPage: ({ caller, after: [organization = '', bucket = '', value = ''], ...query }) =>
        figures(() => exportPage(app, caller, { ...query, after: [organization, bucket, value] })),
      closeExport: async ({ caller, exportId }) => {
        await closeExport(app, caller.accountId, exportId);
        return null;
      },
      previewRule: ({ caller, bucketId, preview }) => figures(() => previewRule(app, caller, bucketId, preview)),
    }),
  };
}
