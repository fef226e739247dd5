import type { ServiceBroker } from 'moleculer';

/** The state of an optional part of a service. */
export interface Feature {
  /** `recovering`: it works, and rebuilds something that it lost. */
  state: 'up' | 'off' | 'recovering';
  /** Why it is off, and how to turn it on; or what it rebuilds, and the progress. */
  detail?: string;
}

/** Features by name. */
export interface Features {
  [name: string]: Feature;
}

function isState(state: unknown): state is Feature['state'] {
  return state === 'up' || state === 'off' || state === 'recovering';
}

function featuresIn(metadata: Record<string, unknown> | undefined): Features {
  const published = metadata?.['features'];
  const features: Features = {};
  if (typeof published !== 'object' || published === null) return features;
  for (const [name, feature] of Object.entries(published) as [string, unknown][]) {
    if (typeof feature !== 'object' || feature === null || !('state' in feature) || !isState(feature.state)) continue;
    features[name] =
      'detail' in feature && typeof feature.detail === 'string'
        ? { state: feature.state, detail: feature.detail }
        : { state: feature.state };
  }
  return features;
}

function publishedFeatures(broker: ServiceBroker, onlyLocal: boolean): Features[] {
  const services: { metadata?: Record<string, unknown> }[] = broker.registry.getServiceList({
    onlyAvailable: true,
    onlyLocal,
    withActions: false,
    withEvents: false,
    skipInternal: true,
  });
  return services.map(({ metadata }) => featuresIn(metadata));
}

/** The features that the services of this process publish in their metadata (`features`). */
export function localFeatures(broker: ServiceBroker): Features {
  return Object.assign({}, ...publishedFeatures(broker, true)) as Features;
}

/**
 * Why no service of the cluster has a feature; null if one has it, and where none publishes it: the service that would
 * is only unavailable then, and work waits for it.
 */
export function absenceOf(broker: ServiceBroker, name: string): string | null {
  const known = publishedFeatures(broker, false).flatMap((features) => features[name] ?? []);
  if (known.length === 0 || known.some(({ state }) => state !== 'off')) return null;
  return known.find(({ detail }) => detail !== undefined)?.detail ?? 'it is switched off';
}
