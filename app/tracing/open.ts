import { noTracing, type Tracing } from '../../mixins/tracing.ts';
import type { TracingContext } from './otlp.ts';

/** Opens tracing as configured. OpenTelemetry is loaded only if tracing is on. */
export async function openTracing(app: TracingContext): Promise<Tracing> {
  const { PLY_OTLP_URL: url, PLY_TRACE_RATIO: ratio } = app.configuration;
  if (url === null || ratio === 0) return noTracing;
  const { otlpTracing } = await import('./otlp.ts');
  return otlpTracing(app, url, ratio);
}
