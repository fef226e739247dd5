import { ServiceBroker } from 'moleculer';
import type { Records } from '../../adapters/records/port.ts';
import { recordsService, type RecordsService } from '../../mixins/records/records.ts';
import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';

/** The plain records of a service whose broker is not started. The collection must be prepared. */
export function plainRecords<T extends StoredRecord>(
  records: Records,
  definition: CollectionDefinition<T>,
): RecordsService<T> {
  const broker = new ServiceBroker({ logger: false, skipProcessEventRegistration: true });
  const service = recordsService(records, definition);
  broker.createService({ name: definition.name, mixins: [service.mixin] });
  return service;
}
