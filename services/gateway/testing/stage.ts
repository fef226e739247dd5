import { createHash } from 'node:crypto';
import { ServiceBroker, type Context } from 'moleculer';
import pino from 'pino';
import type { Counters } from '../../../adapters/counters/port.ts';
import type { KeyAccess } from '../../../mixins/actions.ts';
import { Lifecycle } from '../../../mixins/lifecycle.ts';
import { Metrics } from '../../../mixins/metrics.ts';
import { systemAmbient } from '../../../models/ambient.ts';
import { readConfiguration } from '../../../models/configuration/configuration.ts';
import { memoryRecords, type MemoryRecords } from '../../../test/support/memory-records.ts';
import { gatewayService } from '../gateway.service.ts';
import type { GatewayHouse } from '../pipeline.ts';
import type { Readiness } from '../public.ts';

/** Ids and keys of the played account. */
export const played = {
  organization: '11111111-1111-4111-8111-111111111111',
  branch: '22222222-2222-4222-8222-222222222222',
  closed: '33333333-3333-4333-8333-333333333333',
  standard: 'ply_standard-key-of-the-played-account-000000001',
  admin: 'ply_admin-key-of-the-played-account-0000000000001',
  planned: 'ply_planned-key-of-the-played-account-00000000001',
} as const;

/** A gateway in a real broker, with played actors behind it. */
export interface Stage {
  url: string;
  records: MemoryRecords;
  lifecycle: Lifecycle;
  log: string[];
  /** Calls of actions in order: name and input. */
  calls: { action: string; input: unknown }[];
  /** What actions do instead of answering `{}`. */
  acts: Map<string, (input: unknown) => unknown>;
  readiness: { report: Readiness };
  broker: ServiceBroker;
  stop: () => Promise<void>;
}

const access = (scope: 'standard' | 'admin', features: string[] | null, limits: KeyAccess['limits']): KeyAccess => ({
  accountId: '99999999-9999-4999-8999-999999999999', ownOrganizationId: played.organization, keyId: '88888888-8888-4888-8888-888888888888', prefix: 'ply_standard', label: 'test', scope, limits, features,
});

/** Counters that count, without forgetting. */
export function plainCounters(): Counters {
  const taken = new Map<string, number>();
  return {
    take: (key, limit) => {
      const count = (taken.get(key) ?? 0) + 1;
      if (count <= limit) taken.set(key, count);
      return Promise.resolve({ allowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetMs: 30_000 });
    },
    shareAmong: () => undefined,
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

const actions = [
  'registrar.register', 'registrar.listAssets', 'registrar.readAsset', 'registrar.removeAsset', 'registrar.reindex', 'registrar.import', 'registrar.readImport', 'registrar.readJob', 'registrar.listJobs',
  'registrar.cancelJob', 'registrar.activity', 'registrar.readMetadata', 'registrar.writeMetadata', 'registrar.readPermissions', 'registrar.writePermissions', 'registrar.capabilities', 'searcher.search',
  'accounts.createSubOrganization', 'accounts.listSubOrganizations', 'accounts.readSubOrganization', 'accounts.changeSubOrganization', 'accounts.deactivateSubOrganization', 'accounts.readAudit',
];

/** Starts a stage. `limits` are the requests a minute of the played keys. */
export async function startStage({ limits = { requests: 10_000, search: 10_000, registrations: 10_000 }, environment = {} }: { limits?: KeyAccess['limits']; environment?: { [name: string]: string } } = {}): Promise<Stage> {
  const records = memoryRecords();
  const lifecycle = new Lifecycle();
  const log: string[] = [];
  const calls: Stage['calls'] = [];
  const acts: Stage['acts'] = new Map();
  const readiness: Stage['readiness'] = { report: { ready: true, parts: {} } };
  const configuration = readConfiguration({ PLY_API_PORT: '0', ...environment });
  const logger = pino({ level: 'warn' }, { write: (line: string) => log.push(line) });
  const house: GatewayHouse = { configuration, ambient: systemAmbient, log: logger, metrics: new Metrics(), lifecycle, records, counters: plainCounters() };
  const broker = new ServiceBroker({ nodeID: `stage-${systemAmbient.uuid()}`, logger: false, skipProcessEventRegistration: true, requestTimeout: 20_000 });
  const gateway = gatewayService(house, () => Promise.resolve(readiness.report));
  broker.createService(gateway.schema);
  const keys = new Map<string, KeyAccess>([
    [played.standard, access('standard', null, limits)],
    [played.admin, access('admin', null, limits)],
    [played.planned, access('standard', [], limits)],
  ].map(([key, value]) => [createHash('sha256').update(String(key)).digest('hex'), value as KeyAccess]));
  play(broker, 'accounts.keyAccess', ({ keyHash }: { keyHash: string }) => keys.get(keyHash) ?? null, acts, calls);
  play(broker, 'accounts.organizationAccess', ({ organizationId }: { organizationId: string }) => (organizationId === played.branch ? 'allowed' : 'forbidden'), acts, calls);
  for (const action of actions) play(broker, action, () => ({}), acts, calls);
  await broker.start();
  await lifecycle.start();
  const url = gateway.url();
  if (url === null) throw new Error('the gateway does not listen');
  return {
    url, records, lifecycle, log, calls, acts, readiness, broker,
    stop: async () => {
      await lifecycle.stop(1000);
      await broker.stop();
    },
  };
}

function play<I>(broker: ServiceBroker, action: string, fallback: (input: I) => unknown, acts: Stage['acts'], calls: Stage['calls']): void {
  const [actor = '', name = ''] = action.split('.');
  broker.createService({
    name: actor,
    actions: {
      [name]: (context: Context<I>) => {
        calls.push({ action, input: context.params });
        const act = acts.get(action);
        return act === undefined ? fallback(context.params) : act(context.params);
      },
    },
  });
}

/** Headers of a request with a key. */
export function headersWith(key: string, organization: string = played.organization): { [name: string]: string } {
  return { authorization: `ApiKey ${key}`, 'x-organization-id': organization };
}

/** Sends a JSON request with the standard key unless told otherwise, and reads its JSON answer. */
export async function ask(stage: Stage, method: string, path: string, { body, headers = {}, key = played.standard }: { body?: unknown; headers?: { [name: string]: string }; key?: string } = {}): Promise<{ status: number; headers: Headers; body: unknown }> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const type: { [name: string]: string } = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(stage.url + path, { method, ...sent, headers: { ...headersWith(key), ...type, ...headers } });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}
