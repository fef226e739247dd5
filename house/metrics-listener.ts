import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../mixins/metrics.ts';
import type { Readiness } from './health.ts';

/** A listener for the operator: metrics for Prometheus, and health for those who keep the process alive. */
export interface MetricsListener {
  port: number;
  close(): Promise<void>;
}

/** Listens for `/metrics`, `/health/live` and `/health/ready`. @param failed told why one of them was answered 500 */
export async function listenForMetrics(metrics: Metrics, readiness: () => Promise<Readiness>, host: string, port: number, failed: (error: unknown) => void): Promise<MetricsListener> {
  const answer = async (path: string, response: ServerResponse): Promise<void> => {
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
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000, maxHeaderSize: 8192 }, (request, response) => {
    answer((request.url ?? '').split('?')[0] ?? '', response).catch((error: unknown) => {
      failed(error);
      response.statusCode = 500;
      response.end();
    });
  });
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
}
