import { usageMetrics } from '../../../../models/usage-metric.ts';
import { metricMessages } from './metric-messages.ts';

test('each metric has a name in every language, in English that of the API', () => {
  const names: { readonly [name: string]: string } = metricMessages.en;
  for (const [metric, { label }] of Object.entries(usageMetrics))
    expect([metric, names[metric]]).toEqual([metric, label]);
});
