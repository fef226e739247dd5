import { Refusal } from '../../models/errors.ts';
import { documentation } from './documentation.ts';
import { send, type Exchange, type Reply, type Sender } from './exchange.ts';
import { notificationPaths } from './notification-description.ts';
import { describeApi } from './openapi.ts';
import { refuseKeyInQuery } from './pipeline.ts';
import { apiRoot } from './routes/paths.ts';
import { routeTable } from './table.ts';

/** Whether the program can serve, and what it says about its parts. */
export interface Readiness {
  ready: boolean;
  parts: { [name: string]: { state: 'up' | 'down' | 'off' | 'mending'; detail?: string } };
}

/** The pages that need no key. */
export interface PublicPages {
  has: (path: string) => boolean;
  /** @throws Refusal */
  serve: (exchange: Exchange, sender: Sender) => Promise<void>;
}

/** Health, the description of the API, and its readable reference. */
export function publicPages(readiness: () => Promise<Readiness>): PublicPages {
  const description = JSON.stringify(describeApi(routeTable, notificationPaths));
  const pages = new Map<string, () => Reply | Promise<Reply>>([
    ['/health/live', () => ({ status: 200, body: '{"live":true}' })],
    ['/health/ready', () => reply(readiness())],
    [`${apiRoot}/openapi.json`, () => ({ status: 200, body: description, headers: { 'Cache-Control': 'no-cache' } })],
    ...documentation(`${apiRoot}/openapi.json`),
  ]);
  return {
    has: (path) => pages.has(path),
    serve: async (exchange, sender) => {
      refuseKeyInQuery(exchange);
      const { method } = exchange.request;
      if (method !== 'GET' && method !== 'HEAD') throw new Refusal('method_not_allowed', { allow: ['GET', 'HEAD'] });
      const page = pages.get(exchange.path);
      if (page === undefined) throw new Refusal('not_found');
      send(exchange, sender, await page());
    },
  };
}

async function reply(readiness: Promise<Readiness>): Promise<Reply> {
  const report = await readiness;
  return { status: report.ready ? 200 : 503, body: JSON.stringify(report), ...(report.ready ? {} : { headers: { 'Retry-After': 2 } }) };
}
