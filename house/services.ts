import type { ServiceBroker } from 'moleculer';
import type { House } from '../mixins/house.ts';
import type { Role } from '../models/configuration/configuration.ts';
import { accountsService } from '../services/accounts/accounts.service.ts';
import { embedderService } from '../services/embedder/embedder.service.ts';
import { extractorService } from '../services/extractor/extractor.service.ts';
import { gatewayService } from '../services/gateway/gateway.service.ts';
import { ledgerService } from '../services/ledger/ledger.service.ts';
import { registrarService } from '../services/registrar/registrar.service.ts';
import { schedulerService } from '../services/scheduler/scheduler.service.ts';
import { searcherService } from '../services/searcher/searcher.service.ts';
import type { Readiness } from './health.ts';

/** What the rest of the program wants to know of its services. */
export interface Services {
  /** Address of the API once the broker has started; null without a gateway. */
  apiUrl(): string | null;
}

/** Creates the services of this process's roles on the broker. */
export function createServices(house: House, broker: ServiceBroker, readiness: () => Promise<Readiness>): Services {
  let apiUrl = (): string | null => null;
  const create: { [R in Role]: () => void } = {
    accounts: () => void broker.createService(accountsService(house)),
    ledger: () => void broker.createService(ledgerService(house)),
    registrar: () => void broker.createService(registrarService(house, broker)),
    scheduler: () => void broker.createService(schedulerService(house, broker)),
    extractor: () => void broker.createService(extractorService(house, broker)),
    embedder: () => void broker.createService(embedderService(house, broker)),
    searcher: () => void broker.createService(searcherService(house)),
    gateway: () => {
      const gateway = gatewayService(house, readiness);
      broker.createService(gateway.schema);
      apiUrl = gateway.url;
    },
  };
  for (const role of house.configuration.PLY_ROLES) create[role]();
  return { apiUrl: () => apiUrl() };
}
