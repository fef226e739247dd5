import type { ServiceBroker } from 'moleculer';

/** How something stands that a service does only where what it needs is there. */
export interface Feature {
  /** `mending`: it is there, and makes up for something that it lost. */
  state: 'up' | 'off' | 'mending';
  /** Why it is off, and what mends it; what is mended, and how far that is. */
  detail?: string;
}

/** Features by name. */
export interface Features {
  [name: string]: Feature;
}

function isState(state: unknown): state is Feature['state'] {
  return state === 'up' || state === 'off' || state === 'mending';
}

function featuresIn(metadata: Record<string, unknown> | undefined): Features {
  const told = metadata?.['features'];
  const features: Features = {};
  if (typeof told !== 'object' || told === null) return features;
  for (const [name, feature] of Object.entries(told) as [string, unknown][]) {
    if (typeof feature !== 'object' || feature === null || !('state' in feature) || !isState(feature.state)) continue;
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
  if (known.length === 0 || known.some(({ state }) => state !== 'off')) return null;
  return known.find(({ detail }) => detail !== undefined)?.detail ?? 'it is switched off';
}
