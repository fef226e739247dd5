import type { ServiceBroker } from 'moleculer';

/** How something stands that a service does only where what it needs is there. */
export interface Feature {
  state: 'up' | 'off';
  /** Why it is off, and what mends it. */
  detail?: string;
}

/** Features by name. */
export interface Features {
  [name: string]: Feature;
}

function featuresIn(metadata: Record<string, unknown> | undefined): Features {
  const told = metadata?.['features'];
  const features: Features = {};
  if (typeof told !== 'object' || told === null) return features;
  for (const [name, feature] of Object.entries(told) as [string, unknown][]) {
    if (typeof feature !== 'object' || feature === null || !('state' in feature) || (feature.state !== 'up' && feature.state !== 'off')) continue;
    features[name] = 'detail' in feature && typeof feature.detail === 'string' ? { state: feature.state, detail: feature.detail } : { state: feature.state };
  }
  return features;
}

function told(broker: ServiceBroker, onlyLocal: boolean): Features[] {
  const services: { metadata?: Record<string, unknown> }[] = broker.registry.getServiceList({ onlyAvailable: true, onlyLocal, withActions: false, withEvents: false, skipInternal: true });
  return services.map(({ metadata }) => featuresIn(metadata));
}

/** The features that the services of this process tell of in their metadata (`features`). */
export function localFeatures(broker: ServiceBroker): Features {
  return Object.assign({}, ...told(broker, true)) as Features;
}

/**
 * Why no service of the cluster has a feature; null where one has, and where none tells of it: then the one that will is
 * only away, and work waits for it.
 */
export function absenceOf(broker: ServiceBroker, name: string): string | null {
  const known = told(broker, false).flatMap((features) => features[name] ?? []);
  if (known.length === 0 || known.some(({ state }) => state === 'up')) return null;
  return known.find(({ detail }) => detail !== undefined)?.detail ?? 'it is switched off';
}
