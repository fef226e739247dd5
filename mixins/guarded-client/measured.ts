import type { Metrics } from '../metrics.ts';
import type { GuardedClient } from './client.ts';

/** A client whose requests are timed, until the headers of their answers are there, by who asks and how it went. */
export function measuredClient(client: GuardedClient, metrics: Metrics, role: 'extractor' | 'connectors'): GuardedClient {
  const told = (started: number, outcome: string): void => metrics.sourceRequests.observe({ role, outcome }, (performance.now() - started) / 1000);
  return {
    async request(url, options) {
      const started = performance.now();
      try {
        const answer = await client.request(url, options);
        told(started, `${Math.floor(answer.status / 100)}xx`);
        return answer;
      } catch (error) {
        told(started, 'failed');
        throw error;
      }
    },
    close: () => client.close(),
  };
}
