import type { ServiceBroker } from 'moleculer';
import type { Stage } from '../../models/job.ts';

/** What a stage's service tells the cluster about itself. */
export interface StageMetadata {
  stage: Stage;
  slots: number;
}

/** Metadata of a service that does a stage's jobs. */
export function stageMetadata(stage: Stage, slots: number): StageMetadata {
  return { stage, slots };
}

/** Places of a stage in all live workers together, as the registry knows them. */
export function stageSlots(broker: ServiceBroker, stage: Stage): number {
  const services: { metadata?: Record<string, unknown> }[] = broker.registry.getServiceList({ onlyAvailable: true, withActions: false, withEvents: false, skipInternal: true });
  let slots = 0;
  for (const { metadata } of services) if (metadata?.['stage'] === stage && typeof metadata['slots'] === 'number') slots += metadata['slots'];
  return slots;
}
