import { noTracing, type Tracing } from '../../mixins/tracing.ts';
import type { TracingHouse } from './otlp.ts';

/** The traces that the configuration asks for. What they are made with is loaded only where they are on. */
export async function openTracing(house: TracingHouse): Promise<Tracing> {
  const { PLY_OTLP_URL: url, PLY_TRACE_RATIO: ratio } = house.configuration;
  if (url === null || ratio === 0) return noTracing;
  const { otlpTracing } = await import('./otlp.ts');
  return otlpTracing(house, url, ratio);
}
