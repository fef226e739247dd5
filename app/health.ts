import type { ServiceBroker } from 'moleculer';
import type { Logger } from 'pino';
import { modelsOf } from '../adapters/embeddings/port.ts';
import { usesStore, type Stores } from '../adapters/open.ts';
import type { Listeners } from '../mixins/http/listeners.ts';
import type { Lifecycle } from '../mixins/lifecycle.ts';
import type { Role } from '../models/configuration/table.ts';

/** State of one store or feature. */
export interface PartHealth {
  /** `recovering`: it rebuilds something that it lost, or fetches something that is missing. */
  state: 'up' | 'down' | 'off' | 'recovering';
  detail?: string;
}

/** What `GET /health/ready` answers. */
export interface Readiness {
  ready: boolean;
  parts: { [name: string]: PartHealth };
}

/** What the health of a process is made from. */
export interface HealthOptions {
  stores: Stores;
  /** What this process runs: only stores that these use are looked at. */
  roles: readonly Role[];
  lifecycle: Lifecycle;
  /** Each of them must listen. */
  listeners: Pick<Listeners, 'all'>;
  broker: ServiceBroker;
  log: Logger;
  /** Optional parts and their state. */
  features(): { [name: string]: PartHealth };
}

/** A readiness report for everybody: the error of a store may name hosts and paths, so it is only in the log. */
export function withoutReasons({ ready, parts }: Readiness): Readiness {
  const publicParts = Object.entries(parts).map(([name, part]): [string, PartHealth] => [
    name,
    part.state === 'down' && name !== 'program'
      ? { state: 'down', detail: 'it does not answer; the log says why' }
      : part,
  ]);
  return { ready, parts: Object.fromEntries(publicParts) };
}

const probeTimeoutMs = 3000;
const freshMs = 1000;

async function probe(part: { ping(): Promise<void> }): Promise<PartHealth> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${probeTimeoutMs} ms`)), probeTimeoutMs);
  });
  try {
    await Promise.race([part.ping(), late]);
    return { state: 'up' };
  } catch (error) {
    return { state: 'down', detail: error instanceof Error ? error.message : 'it failed' };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * State of a model, with its name if it is up. A missing model is not a failure: it is off, and the detail says how to
 * get it.
 */
export async function modelHealth(part: Stores['embeddings' | 'speech']): Promise<PartHealth> {
  if (part.model === null) return { state: 'off', detail: part.absence ?? 'no model' };
  const { id } = part.model;
  const notice = 'notice' in part ? (part.notice ?? null) : null;
  if (notice?.state === 'preparing') return { state: 'recovering', detail: notice.detail };
  const health = await probe(part);
  return health.state === 'up' ? { ...health, detail: notice === null ? id : `${id}: ${notice.detail}` } : health;
}

/** State of the embedding models, and which they are. */
async function embeddingsHealth(embeddings: Stores['embeddings']): Promise<PartHealth> {
  const models = modelsOf(embeddings).map(({ model: { id, languages } }, index) => {
    const others = index === 0 ? 'all languages' : 'other languages';
    return `${nameOf(id)} (${languages?.join(', ') ?? others})`;
  });
  const health = await modelHealth(embeddings);
  if (health.state !== 'up') return health;
  const { absence } = embeddings;
  return { state: 'up', detail: [models.join(', '), ...(absence === null ? [] : [absence])].join('; ') };
}

/** The name at the start of a model's id. */
function nameOf(id: string): string {
  return id.split(':')[0] ?? id;
}

/** State of these parts, all checked at the same time. */
async function together<Name extends string>(
  names: readonly Name[],
  health: (name: Name) => Promise<PartHealth>,
): Promise<Readiness['parts']> {
  return Object.fromEntries(
    await Promise.all(names.map(async (name): Promise<[Name, PartHealth]> => [name, await health(name)])),
  );
}

/** The broker still reports a connection while NATS is unavailable; the transporter knows. */
function natsConnected(broker: ServiceBroker): boolean {
  const transporter: unknown = broker.transit?.tx;
  return (
    typeof transporter === 'object' && transporter !== null && 'linked' in transporter && transporter.linked === true
  );
}

/** Checks the stores, each at most once a second, and logs when one stops and starts responding. */
export class Health {
  private readonly stores: Stores;
  private readonly roles: readonly Role[];
  private readonly lifecycle: Lifecycle;
  private readonly listeners: Pick<Listeners, 'all'>;
  private readonly broker: ServiceBroker;
  private readonly features: () => { [name: string]: PartHealth };
  private readonly log: Logger;
  private readonly away = new Set<string>();
  private last: { at: number; readiness: Promise<Readiness> } | null = null;

  constructor({ stores, roles, lifecycle, listeners, broker, log, features }: HealthOptions) {
    this.stores = stores;
    this.roles = roles;
    this.lifecycle = lifecycle;
    this.listeners = listeners;
    this.broker = broker;
    this.features = features;
    this.log = log;
  }

  /**
   * Whether the program can serve, and the state of each part. Not ready before the start is over and while stopping.
   */
  async readiness(): Promise<Readiness> {
    const { phase } = this.lifecycle;
    if (phase !== 'serving') return { ready: false, parts: { program: { state: 'down', detail: `it is ${phase}` } } };
    return this.look();
  }

  /** What `readiness` reports once the program serves; for the start itself, which is not over yet. */
  async look(): Promise<Readiness> {
    const now = performance.now();
    if (this.last === null || now - this.last.at > freshMs) this.last = { at: now, readiness: this.ask() };
    return this.last.readiness;
  }

  private async ask(): Promise<Readiness> {
    const { stores } = this;
    const { chat } = stores;
    const used = <Name extends keyof Stores>(names: readonly Name[]): Name[] =>
      names.filter((name) => usesStore(this.roles, name));
    // All at once: callers wait a few seconds, and several parts that time out must not look like a hanging program.
    const [needed, others, answers, records] = await Promise.all([
      together(used(['passages', 'queue', 'blobs', 'objects']), (name) => probe(stores[name])),
      // Without these the program still serves: limits are kept in memory, search uses words only, recordings are not
      // transcribed.
      together(used(['counters', 'embeddings', 'speech']), (name) =>
        name === 'counters'
          ? probe(stores.counters)
          : name === 'embeddings'
            ? embeddingsHealth(stores.embeddings)
            : modelHealth(stores.speech),
      ),
      // Without a chat server answers are quoted, which is the usual set-up: then it is not reported.
      chat === null ? {} : together(['answers'], () => probe(chat)),
      together(['records'], (name) => probe(stores[name])),
    ]);
    // An edge goes on delivering the copies that it has without the records and the other processes.
    const isEdge = this.roles.every((role) => role === 'delivery');
    Object.assign(isEdge ? others : needed, records);
    if (this.broker.transit !== undefined && this.broker.transit !== null)
      (isEdge ? others : needed)['broker'] = natsConnected(this.broker)
        ? { state: 'up' }
        : { state: 'down', detail: 'NATS does not answer' };
    for (const { name, state } of this.listeners.all)
      if (state !== 'listening') needed[`listener ${name}`] = { state: 'down', detail: `it is ${state}` };
    const all = { ...needed, ...others, ...answers };
    this.logChanges(all);
    // A service reports what it has, not whether that responds: the probes win.
    return { ready: Object.values(needed).every((part) => part.state === 'up'), parts: { ...this.features(), ...all } };
  }

  private logChanges(parts: Readiness['parts']): void {
    for (const [part, { state, detail }] of Object.entries(parts)) {
      if (state === 'down' && !this.away.has(part))
        this.log.warn({ part, reason: detail }, 'a part of the program does not respond');
      if (state === 'up' && this.away.has(part)) this.log.info({ part }, 'a part of the program responds again');
      if (state === 'down') this.away.add(part);
      else this.away.delete(part);
    }
  }
}
