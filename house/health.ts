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

async function probe(part: { ping(): Promise<void> }): Promise<PartHealth> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
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

/** A model that is not there is no failure: it is off, and says how it comes. */
async function modelHealth(part: Stores['embeddings' | 'speech']): Promise<PartHealth> {
  return part.model === null ? { state: 'off', detail: part.absence ?? 'no model' } : probe(part);
}

/** How each of these parts stands, all looked at in the same moment. */
async function together<Name extends string>(names: readonly Name[], health: (name: Name) => Promise<PartHealth>): Promise<Readiness['parts']> {
  return Object.fromEntries(await Promise.all(names.map(async (name): Promise<[Name, PartHealth]> => [name, await health(name)])));
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

  /** Whether the program can serve, and how each of its parts stands: not before its start is over, and no more once it stops. */
  async readiness(): Promise<Readiness> {
    const { phase } = this.lifecycle;
    if (phase !== 'serving') return { ready: false, parts: { program: { state: 'down', detail: `it is ${phase}` } } };
    return this.look();
  }

  /** What `readiness` tells of a program that serves; for the start itself, which is not over when it asks. */
  async look(): Promise<Readiness> {
    const now = performance.now();
    if (this.last === null || now - this.last.at > freshMs) this.last = { at: now, readiness: this.ask() };
    return this.last.readiness;
  }

  private async ask(): Promise<Readiness> {
    const { stores } = this;
    const { chat } = stores;
    const used = <Name extends keyof Stores>(names: readonly Name[]): Name[] => names.filter((name) => usesStore(this.roles, name));
    // All at once: who asks waits a few seconds, and must not take several parts that do not answer for a program that does not.
    const [needed, others, answers] = await Promise.all([
      together(used(['records', 'passages', 'queue', 'blobs']), (name) => probe(stores[name])),
      // Without these the program serves less, but it serves: limits are then kept in memory, search goes by words alone, recordings are not transcribed.
      together(used(['counters', 'embeddings', 'speech']), (name) => (name === 'counters' ? probe(stores.counters) : modelHealth(stores[name]))),
      // Answers are quoted without it, which is how most programs are set up: then it is no part of theirs.
      chat === null ? {} : together(['answers'], () => probe(chat)),
    ]);
    if (this.broker.transit !== undefined && this.broker.transit !== null) needed['broker'] = natsConnected(this.broker) ? { state: 'up' } : { state: 'down', detail: 'NATS does not answer' };
    const all = { ...needed, ...others, ...answers };
    this.tell(all);
    // A service tells of what it has, and not of whether that answers.
    return { ready: Object.values(needed).every((part) => part.state === 'up'), parts: { ...this.features(), ...all } };
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
