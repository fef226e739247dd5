import type { ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { Region } from '../../models/region.ts';
import { addTrafficIntakes } from './intake.ts';
import { storeBatch } from './ingest.ts';
import { deliveryAnalytics } from './reading/delivery.ts';
import { resourceUsage } from './reading/resources.ts';
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
    }),
  };
}
