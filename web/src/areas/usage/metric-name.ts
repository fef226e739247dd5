import { useMessages } from '../../i18n/messages.ts';
import { metricMessages } from './metric-messages.ts';

function isKnown(name: string): name is keyof typeof metricMessages.en {
  return Object.hasOwn(metricMessages.en, name);
}

/**
 * Writes metrics and units in the language of the person. What a later version of the program counts is written as the
 * API names it.
 */
export function useMetricName(): {
  nameOf: (metric: string, label: string) => string;
  unitOf: (unit: string) => string;
} {
  const t = useMessages(metricMessages);
  return {
    nameOf: (metric, label) => (isKnown(metric) ? t(metric) : label),
    unitOf: (unit) => (isKnown(unit) ? t(unit) : unit),
  };
}
