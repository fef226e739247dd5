import { createHash } from 'node:crypto';
import { ServiceBroker, type Context, type ServiceSchema } from 'moleculer';
import pino from 'pino';
import { BlobNotFound, type Blobs } from '../../../adapters/blobs/port.ts';
import type { Counters } from '../../../adapters/counters/port.ts';
import type { KeyAccess } from '../../../mixins/actions/accounts.ts';
import { Listeners } from '../../../mixins/http/listeners.ts';
import { Lifecycle } from '../../../mixins/lifecycle.ts';
import { Metrics } from '../../../mixins/metrics.ts';
import { sealer } from '../../../mixins/sealing.ts';
import { noTracing } from '../../../mixins/tracing.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { readConfiguration } from '../../../models/configuration/configuration.ts';
import { memoryRecords, type MemoryRecords } from '../../../test/support/memory-records.ts';
import { gatewayService } from '../gateway.service.ts';
import type { ApiContext } from '../../../mixins/http/api/api.ts';
import type { Readiness } from '../public.ts';

/** Ids and keys of the played account. */
export const played = {
  organization: '11111111-1111-4111-8111-111111111111',
  branch: '22222222-2222-4222-8222-222222222222',
  closed: '33333333-3333-4333-8333-333333333333',
  standard: 'ply_standard-key-of-the-played-account-000000001',
  admin: 'ply_admin-key-of-the-played-account-0000000000001',
  /** Of an account whose plan has no feature, and of one whose plan has metadata alone. */
  planned: 'ply_planned-key-of-the-played-account-00000000001',
  labelled: 'ply_labelled-key-of-the-played-account-0000000001',
} as const;

/** A gateway in a real broker, with played actors behind it. */
export interface Stage {
  url: string;
  records: MemoryRecords;
  /** What lies in the blobs, by name. */
  stored: Map<string, string>;
  lifecycle: Lifecycle;
  log: string[];
  /** Calls of actions in order: name and input. */
  calls: { action: string; input: unknown }[];
  /** What actions do instead of answering `{}`. */
  acts: Map<string, (input: object) => unknown>;
  readiness: { report: Readiness };
  broker: ServiceBroker;
  stop: () => Promise<void>;
}

const access = (scope: 'standard' | 'admin', features: string[] | null, limits: KeyAccess['limits']): KeyAccess => ({
  accountId: '99999999-9999-4999-8999-999999999999',
  ownOrganizationId: played.organization,
  keyId: '88888888-8888-4888-8888-888888888888',
  prefix: 'ply_standard',
  label: 'test',
  scope,
  limits,
  features,
});

/** Blobs that hold what a map does, and hand it out in small pieces. */
function blobsOf(stored: ReadonlyMap<string, string>): Blobs {
  const unused = (): never => {
    throw new Error('the gateway must not call this');
  };
  return {
    async *read(key) {
      const content = stored.get(key);
      if (content === undefined) throw new BlobNotFound(key);
      const bytes = Buffer.from(content);
      for (let from = 0; from < bytes.length; from += 97) yield bytes.subarray(from, from + 97);
    },
    write: unused,
    exists: unused,
    remove: unused,
    list: unused,
    ping: unused,
    close: unused,
  };
}

/** Counters that count, without forgetting. */
export function plainCounters(): Counters {
  const taken = new Map<string, number>();
  return {
    take: (key, limit) => {
      const count = (taken.get(key) ?? 0) + 1;
      if (count <= limit) taken.set(key, count);
      return Promise.resolve({
        allowed: count <= limit,
        limit,
        remaining: Math.max(0, limit - count),
        resetMs: 30_000,
      });
    },
    shareAmong: () => undefined,
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

const actions = [
  'registrar.register',
  'registrar.listAssets',
  'registrar.readAsset',
  'registrar.playback',
  'registrar.removeAsset',
  'registrar.reindex',
  'registrar.import',
  'registrar.readImport',
  'registrar.readJob',
  'registrar.listJobs',
  'registrar.cancelJob',
  'registrar.activity',
  'registrar.readMetadata',
  'registrar.writeMetadata',
  'registrar.readPermissions',
  'registrar.writePermissions',
  'registrar.readTranscript',
  'registrar.correctTranscript',
  'registrar.capabilities',
  'searcher.search',
  'accounts.createSubOrganization',
  'accounts.listSubOrganizations',
  'accounts.readSubOrganization',
  'accounts.changeSubOrganization',
  'accounts.deactivateSubOrganization',
  'accounts.readAudit',
  'accounts.readSettings',
  'accounts.replaceSettings',
  'accounts.changeSettings',
  'accounts.dropSettings',
];

/** How a stage is set; several stages may share their stores. */
export interface StageOptions {
  limits?: KeyAccess['limits'];
  environment?: { [name: string]: string };
  records?: MemoryRecords;
  counters?: Counters;
}

/** Starts a stage. `limits` are the requests a minute of the played keys. */
export async function startStage({
  limits = { requests: 10_000, search: 10_000, registrations: 10_000 },
  environment = {},
  records = memoryRecords(),
  counters = plainCounters(),
}: StageOptions = {}): Promise<Stage> {
  const lifecycle = new Lifecycle();
  const log: string[] = [];
  const calls: Stage['calls'] = [];
  const acts: Stage['acts'] = new Map();
  const readiness: Stage['readiness'] = { report: { ready: true, parts: {} } };
  const configuration = readConfiguration({ PLY_API_PORT: '0', ...environment });
  const logger = pino({ level: 'warn' }, { write: (line: string) => log.push(line) });
  const stored = new Map<string, string>();
  const blobs = blobsOf(stored);
  const app: ApiContext = {
    configuration,
    runtime: systemRuntime,
    log: logger,
    metrics: new Metrics(),
    tracing: noTracing,
    lifecycle,
    listeners: new Listeners(),
    records,
    counters,
    blobs,
    sealer: sealer(new Uint8Array(32), systemRuntime),
  };
  const broker = new ServiceBroker({
    nodeID: `stage-${systemRuntime.uuid()}`,
    logger: false,
    skipProcessEventRegistration: true,
    requestTimeout: 20_000,
  });
  broker.createService(gatewayService(app, () => Promise.resolve(readiness.report)));
  const entry = (key: string, value: KeyAccess): [string, KeyAccess] => [
    createHash('sha256').update(key).digest('hex'),
    value,
  ];
  const keys = new Map([
    entry(played.standard, access('standard', null, limits)),
    entry(played.admin, access('admin', null, limits)),
    entry(played.planned, access('standard', [], limits)),
    entry(played.labelled, access('standard', ['metadata'], limits)),
  ]);
  const fallbacks = new Map<string, (input: Asked) => unknown>(actions.map((action) => [action, () => ({})]));
  fallbacks.set('accounts.keyAccess', ({ keyHash = '' }) => keys.get(keyHash) ?? null);
  fallbacks.set('accounts.organizationAccess', ({ organizationId }) =>
    organizationId === played.branch ? 'allowed' : 'forbidden',
  );
  for (const actor of ['accounts', 'registrar', 'connectors', 'searcher'])
    broker.createService(playedActor(actor, fallbacks, acts, calls));
  await broker.start();
  await lifecycle.start();
  const url = app.listeners.url('api');
  if (url === null) throw new Error('the gateway does not listen');
  return {
    url,
    records,
    stored,
    lifecycle,
    log,
    calls,
    acts,
    readiness,
    broker,
    stop: async () => {
      await lifecycle.stop(1000);
      await broker.stop();
    },
  };
}

/** What the played accounts service looks at. */
interface Asked {
  keyHash?: string;
  organizationId?: string;
}

function playedActor(
  name: string,
  fallbacks: ReadonlyMap<string, (input: Asked) => unknown>,
  acts: Stage['acts'],
  calls: Stage['calls'],
): ServiceSchema {
  const own = [...fallbacks].filter(([action]) => action.startsWith(`${name}.`));
  const played = own.map(([action, fallback]) => {
    const handler = (context: Context<Asked>): unknown => {
      calls.push({ action, input: context.params });
      return (acts.get(action) ?? fallback)(context.params);
    };
    return [action.slice(name.length + 1), handler] as const;
  });
  return { name, actions: Object.fromEntries(played) };
}

/** Headers of a request with a key. */
export function headersWith(key: string, organization: string = played.organization): { [name: string]: string } {
  return { authorization: `ApiKey ${key}`, 'x-organization-id': organization };
}

/** Sends a JSON request with the standard key unless stated otherwise, and reads its JSON answer. */
export async function ask(
  stage: Stage,
  method: string,
  path: string,
  {
    body,
    headers = {},
    key = played.standard,
  }: { body?: unknown; headers?: { [name: string]: string }; key?: string } = {},
): Promise<{ status: number; headers: Headers; body: unknown }> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const type: { [name: string]: string } = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(stage.url + path, {
    method,
    ...sent,
    headers: { ...headersWith(key), ...type, ...headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}
