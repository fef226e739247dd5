import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { House } from '../mixins/house.ts';
import type { Role } from '../models/configuration/configuration.ts';
import type { Readiness } from './health.ts';
import { measuredService } from './measured/actions.ts';

/** What the rest of the program wants to know of its services. */
export interface Services {
  /** Address of the API once the broker has started; null without a gateway. */
  apiUrl(): string | null;
}

/**
 * Creates the services of this process's roles on the broker. Only theirs are loaded: a process of a cluster starts
 * faster and is smaller without the others.
 */
export async function createServices(house: House, broker: ServiceBroker, readiness: () => Promise<Readiness>): Promise<Services> {
  let apiUrl = (): string | null => null;
  const load: { [R in Role]: () => Promise<() => ServiceSchema> } = {
    accounts: async () => {
      const [{ accountsService }, { readPlans }] = await Promise.all([import('../services/accounts/accounts.service.ts'), import('../services/accounts/plans.ts')]);
      // A file of plans that is not usable stops the start.
      await readPlans(house.configuration);
      return () => accountsService(house);
    },
    ledger: async () => {
      const { ledgerService } = await import('../services/ledger/ledger.service.ts');
      return () => ledgerService(house);
    },
    registrar: async () => {
      const { registrarService } = await import('../services/registrar/registrar.service.ts');
      return () => registrarService(house, broker);
    },
    connectors: async () => {
      const [{ connectorsService }, { openConnectorSource }] = await Promise.all([import('../services/connectors/connectors.service.ts'), import('../adapters/sources/open.ts')]);
      return () => connectorsService(house, broker, openConnectorSource, new URL('../adapters/sources/open.ts', import.meta.url));
    },
    scheduler: async () => {
      const { schedulerService } = await import('../services/scheduler/scheduler.service.ts');
      return () => schedulerService(house, broker);
    },
    extractor: async () => {
      const { extractorService } = await import('../services/extractor/extractor.service.ts');
      return () => extractorService(house, broker);
    },
    transcriber: async () => {
      const { transcriberService } = await import('../services/transcriber/transcriber.service.ts');
      return () => transcriberService(house, broker);
    },
    embedder: async () => {
      const { embedderService } = await import('../services/embedder/embedder.service.ts');
      return () => embedderService(house, broker);
    },
    searcher: async () => {
      const { searcherService } = await import('../services/searcher/searcher.service.ts');
      return () => searcherService(house);
    },
    gateway: async () => {
      const { gatewayService } = await import('../services/gateway/gateway.service.ts');
      return () => {
        const gateway = gatewayService(house, readiness);
        apiUrl = gateway.url;
        return gateway.schema;
      };
    },
  };
  // Loaded side by side, created in the order of the roles.
  for (const create of await Promise.all(house.configuration.PLY_ROLES.map((role) => load[role]()))) broker.createService(measuredService(create(), house));
  return { apiUrl: () => apiUrl() };
}
