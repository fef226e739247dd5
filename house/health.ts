import type { ServiceBroker } from 'moleculer';
import type { Logger } from 'pino';
import { usesStore, type Stores } from '../adapters/open.ts';
import type { Lifecycle } from '../mixins/lifecycle.ts';
import type { Role } from '../models/configuration/configuration.ts';

/** How one store or feature stands. */
export interface PartHealth {
  /** `mending`: it serves, and makes up for something that it lost. */
  state: 'up' | 'down' | 'off' | 'mending';
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
  broker: ServiceBroker;
  log: Logger;
  /** Parts without which the program still serves, and how they stand. */
  features(): { [name: string]: PartHealth };
}

/** A readiness as everybody may know it: what a store said in its failure may name hosts and paths, and stands in the log. */
export function withoutReasons({ ready, parts }: Readiness): Readiness {
  const told = Object.entries(parts).map(([name, part]): [string, PartHealth] => [name, part.state === 'down' && name !== 'program' ? { state: 'down', detail: 'it does not answer; the log tells why' } : part]);
  return { ready, parts: Object.fromEntries(told) };
}

const patienceMs = 3000;
const freshMs = 1000;

async function probe(ping: () => Promise<void>): Promise<PartHealth> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
  });
  try {
    await Promise.race([ping(), late]);
    return { state: 'up' };
  } catch (error) {
    return { state: 'down', detail: error instanceof Error ? error.message : 'it failed' };
  } finally {
    clearTimeout(timer);
  }
}

/** With NATS away the broker itself still says that it is connected: its transporter knows better. */
function natsConnected(broker: ServiceBroker): boolean {
  const transporter: unknown = broker.transit?.tx;
  return typeof transporter === 'object' && transporter !== null && 'linked' in transporter && transporter.linked === true;
}

/** Looks after the stores; asks each at most once a second, however often it is asked itself. The log tells when one goes away and comes back. */
export class Health {
  private readonly stores: Stores;
  private readonly roles: readonly Role[];
  private readonly lifecycle: Lifecycle;
  private readonly broker: ServiceBroker;
  private readonly features: () => { [name: string]: PartHealth };
  private readonly log: Logger;
  private readonly away = new Set<string>();
  private last: { at: number; readiness: Promise<Readiness> } | null = null;

  constructor({ stores, roles, lifecycle, broker, log, features }: HealthOptions) {
    this.stores = stores;
    this.roles = roles;
    this.lifecycle = lifecycle;
    this.broker = broker;
    this.features = features;
    this.log = log;
  }

  /** Whether the program can serve, and how each of its parts stands. */
  async readiness(): Promise<Readiness> {
    if (this.lifecycle.draining) return { ready: false, parts: { program: { state: 'down', detail: 'it is stopping' } } };
    const now = performance.now();
    if (this.last === null || now - this.last.at > freshMs) this.last = { at: now, readiness: this.look() };
    return this.last.readiness;
  }

  private async look(): Promise<Readiness> {
    const { records, passages, counters, queue, blobs, embeddings, speech } = this.stores;
    const stores = { records, passages, queue, blobs };
    const parts: { [name: string]: PartHealth } = {};
    const uses = (store: keyof Stores): boolean => usesStore(this.roles, store);
    const needed = (['records', 'passages', 'queue', 'blobs'] as const).filter(uses);
    const look = async (into: Readiness['parts'], name: string, part: () => Promise<PartHealth>): Promise<void> => {
      into[name] = await part();
    };
    // Without these the program serves less, but it serves: limits are then kept in memory, search goes by words alone, recordings are not transcribed.
    const others: Readiness['parts'] = {};
    // All at once: who asks waits a few seconds, and must not take several parts that do not answer for a program that does not.
    await Promise.all([
      ...needed.map((name) => look(parts, name, () => probe(() => stores[name].ping()))),
      ...(uses('counters') ? [look(others, 'counters', () => probe(() => counters.ping()))] : []),
      ...(uses('embeddings') ? [look(others, 'embeddings', async () => (embeddings.model === null ? { state: 'off', detail: embeddings.absence ?? 'no model' } : probe(() => embeddings.ping())))] : []),
      ...(uses('speech') ? [look(others, 'speech', async () => (speech.model === null ? { state: 'off', detail: speech.absence ?? 'no transcriber' } : probe(() => speech.ping())))] : []),
    ]);
    if (this.broker.transit !== undefined && this.broker.transit !== null) parts['broker'] = natsConnected(this.broker) ? { state: 'up' } : { state: 'down', detail: 'NATS does not answer' };
    const ready = Object.values(parts).every((part) => part.state === 'up');
    const all = { ...parts, ...others };
    this.tell(all);
    // A service tells of what it has, and not of whether that answers.
    return { ready, parts: { ...this.features(), ...all } };
  }

  private tell(parts: Readiness['parts']): void {
    for (const [part, { state, detail }] of Object.entries(parts)) {
      if (state === 'down' && !this.away.has(part)) this.log.warn({ part, reason: detail }, 'a part of the program does not answer');
      if (state === 'up' && this.away.has(part)) this.log.info({ part }, 'a part of the program answers again');
      if (state === 'down') this.away.add(part);
      else this.away.delete(part);
    }
  }
}
