import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { AppContext } from '../mixins/app-context.ts';
import type { Role } from '../models/configuration/table.ts';
import type { Readiness } from './health.ts';

/**
 * Creates the services of this process's roles on the broker. Only theirs are loaded: a process of a cluster starts
 * faster and is smaller without the others.
 */
export async function createServices(
  app: AppContext,
  broker: ServiceBroker,
  readiness: () => Promise<Readiness>,
): Promise<void> {
  const load: { [R in Role]: () => Promise<() => ServiceSchema | ServiceSchema[]> } = {
    accounts: async () => {
      const [{ accountsService }, { readPlans, readPrices }] = await Promise.all([
        import('../services/accounts/accounts.service.ts'),
        import('../services/accounts/plans.ts'),
      ]);
      // A file of plans or prices that is not usable stops the start.
      await readPlans(app.configuration);
      await readPrices(app.configuration);
      return () => accountsService(app);
    },
    ledger: async () => {
      const [{ ledgerService }, { trafficService }, { readRegions }] = await Promise.all([
        import('../services/ledger/ledger.service.ts'),
        import('../services/traffic/traffic.service.ts'),
        import('../models/region.ts'),
      ]);
      // A file of regions that is not usable stops the start.
      const regions = await readRegions(app.configuration);
      return () => [ledgerService(app), trafficService(app, regions)];
    },
    registrar: async () => {
      const { registrarService } = await import('../services/registrar/registrar.service.ts');
      return () => registrarService(app, broker);
    },
    connectors: async () => {
      const [{ connectorsService }, { openConnectorSource }] = await Promise.all([
        import('../services/connectors/connectors.service.ts'),
        import('../adapters/sources/open.ts'),
      ]);
      return () =>
        connectorsService(app, broker, openConnectorSource, new URL('../adapters/sources/open.ts', import.meta.url));
    },
    scheduler: async () => {
      const { schedulerService } = await import('../services/scheduler/scheduler.service.ts');
      return () => schedulerService(app, broker);
    },
    extractor: async () => {
      const { extractorService } = await import('../services/extractor/extractor.service.ts');
      return () => extractorService(app, broker);
    },
    transcriber: async () => {
      const { transcriberService } = await import('../services/transcriber/transcriber.service.ts');
      return () => transcriberService(app, broker);
    },
    embedder: async () => {
      const { embedderService } = await import('../services/embedder/embedder.service.ts');
      return () => embedderService(app, broker);
    },
    searcher: async () => {
      const { searcherService } = await import('../services/searcher/searcher.service.ts');
      return () => searcherService(app);
    },
    encoder: async () => {
      const { encoderService } = await import('../services/encoder/encoder.service.ts');
      return () => encoderService(app, broker);
    },
    storage: async () => {
      const [{ storageService }, { readRegions }] = await Promise.all([
        import('../services/storage/storage.service.ts'),
        import('../models/region.ts'),
      ]);
      // A file of regions that is not usable stops the start.
      const regions = await readRegions(app.configuration);
      return () => storageService(app, broker, regions);
    },
    delivery: async () => {
      const [{ deliveryService }, { openCountries }] = await Promise.all([
        import('../services/delivery/delivery.service.ts'),
        import('../services/delivery/countries.ts'),
      ]);
      // A database of countries that is not usable stops the start.
      const countryOf = await openCountries(app.configuration);
      return () => deliveryService(app, broker, countryOf);
    },
    webhooks: async () => {
      const { webhooksService } = await import('../services/webhooks/webhooks.service.ts');
      return () => webhooksService(app, broker);
    },
    s3: async () => {
      const [{ s3Service }, { readRegions }] = await Promise.all([
        import('../services/s3/s3.service.ts'),
        import('../models/region.ts'),
      ]);
      // A file of regions that is not usable stops the start.
      const regions = await readRegions(app.configuration);
      return () => s3Service(app, broker, regions);
    },
    blob: async () => {
      const [{ blobService }, { readRegions }] = await Promise.all([
        import('../services/blob/blob.service.ts'),
        import('../models/region.ts'),
      ]);
      // A file of regions that is not usable stops the start.
      const regions = await readRegions(app.configuration);
      return () => blobService(app, broker, regions);
    },
    gateway: async () => {
      const { gatewayService } = await import('../services/gateway/gateway.service.ts');
      return () => gatewayService(app, readiness);
    },
  };
  // Loaded side by side, created in the order of the roles.
  for (const create of await Promise.all(app.configuration.PLY_ROLES.map((role) => load[role]())))
    for (const service of [create()].flat()) broker.createService(service);
}
