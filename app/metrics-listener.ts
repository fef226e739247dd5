import type { ServerResponse } from 'node:http';
import type { Listener } from '../mixins/http/listener.ts';
import type { Listeners } from '../mixins/http/listeners.ts';
import type { Metrics } from '../mixins/metrics.ts';
import type { Readiness } from './health.ts';

/** What the metrics listener serves, and where. */
export interface MetricsListenerOptions {
  listeners: Listeners;
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
  host: string;
  port: number;
  /** Receives the error of a request that was answered 500. */
  failed: (error: unknown) => void;
}

/** A listener for operators: metrics for Prometheus, and health for the process supervisor. */
export function metricsListener({
  listeners,
  metrics,
  readiness,
  host,
  port,
  failed,
}: MetricsListenerOptions): Listener {
  const respond = async (path: string, response: ServerResponse): Promise<void> => {
    if (path === '/metrics') {
      response.setHeader('Content-Type', metrics.registry.contentType);
      response.end(await metrics.registry.metrics());
      return;
    }
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    if (path === '/health/live') {
      response.end('{"live":true}');
      return;
    }
    if (path === '/health/ready') {
      const report = await readiness();
      response.statusCode = report.ready ? 200 : 503;
      response.end(JSON.stringify(report));
      return;
    }
    response.statusCode = 404;
    response.end('{"code":"not_found","detail":"This listener has /metrics, /health/live and /health/ready."}');
  };
  return listeners.add({
    name: 'metrics',
    host,
    port,
    requestTimeout: 10_000,
    maxHeaderBytes: 8192,
    handle: (request, response) => {
      respond((request.url ?? '').split('?')[0] ?? '', response).catch((error: unknown) => {
        failed(error);
        response.statusCode = 500;
        response.end();
      });
    },
  });
}
