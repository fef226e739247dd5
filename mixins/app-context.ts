import type { Logger } from 'pino';
import type { Runtime } from '../models/runtime.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import type { Blobs } from '../adapters/blobs/port.ts';
import type { Chat } from '../adapters/chat/port.ts';
import type { Counters } from '../adapters/counters/port.ts';
import type { Embeddings } from '../adapters/embeddings/port.ts';
import type { Objects } from '../adapters/objects/port.ts';
import type { Passages } from '../adapters/passages/port.ts';
import type { StageQueue } from '../adapters/queue/port.ts';
import type { Records } from '../adapters/records/port.ts';
import type { Transcriber } from '../adapters/speech/port.ts';
import type { Listeners } from './http/listeners.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Metrics } from './metrics.ts';
import type { Sealer } from './sealing.ts';
import type { TrustedSources } from './sources/trusted.ts';
import type { EdgeChanges } from './storage/edge-changes.ts';
import type { Tracing } from './tracing.ts';

/** What a service is built from. It is handed to each service's factory and kept in closures, never in its settings. */
export interface AppContext {
  configuration: Configuration;
  runtime: Runtime;
  log: Logger;
  metrics: Metrics;
  tracing: Tracing;
  /** The process's phases: where services add what takes work in. */
  lifecycle: Lifecycle;
  /** The HTTP listeners of this process: services add theirs. */
  listeners: Listeners;
  /** Unique name of this process in the cluster; a new one at each start. */
  nodeId: string;
  records: Records;
  passages: Passages;
  counters: Counters;
  queue: StageQueue;
  blobs: Blobs;
  /** The bytes of customers' objects. */
  objects: Objects;
  embeddings: Embeddings;
  speech: Transcriber;
  /** The model that writes answers; null: they are quoted. */
  chat: Chat | null;
  /** What edges must know of buckets, objects and domains. */
  edgeChanges: EdgeChanges;
  /** Seals secrets at rest. */
  sealer: Sealer;
  /** Loopback sources that the operator of this machine vouches for. */
  trustedSources: TrustedSources;
}
