import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracing.ts';

/** The request or job that work is done for. Every line that is logged meanwhile has these fields. */
export interface WorkContext {
  requestId?: string;
  organizationId?: string;
  assetId?: string;
  jobId?: string;
  stage?: string;
  connectorId?: string;
}

/** Work in progress: what it is done for, and its span where it is traced. */
export interface Work extends WorkContext {
  span?: Span | null;
}

/** The work context of a call as it is sent to another process. */
export interface SentWork extends WorkContext {
  traceparent?: string;
}

const storage = new AsyncLocalStorage<Work>();
const sentFields = ['requestId', 'organizationId', 'assetId', 'jobId', 'stage', 'connectorId', 'traceparent'] as const;
/** Longest id that is taken from another process. */
const maxCharacters = 200;

/** Runs a function in the context of a request or job; what it starts keeps the context. */
export function workingFor<T>(work: Work, perform: () => T): T {
  return storage.run(work, perform);
}

/** The current work; undefined outside of requests and jobs. */
export function currentWork(): Work | undefined {
  return storage.getStore();
}

/** The current context as fields of a log line: a new object each time. */
export function workContext(): WorkContext & { traceId?: string } {
  const work = storage.getStore();
  if (work === undefined) return {};
  const { span, ...context } = work;
  return span === undefined || span === null ? context : { ...context, traceId: span.traceId };
}

/** The current context as a call sends it to another process; null outside of requests and jobs. */
export function sentWork(): SentWork | null {
  const work = storage.getStore();
  if (work === undefined) return null;
  const { span, ...context } = work;
  return span === undefined || span === null ? context : { ...context, traceparent: span.traceparent };
}

/** The context that another process sent with its call. Values that are no short texts are left out. */
export function receivedWork(sent: unknown): SentWork {
  const received: SentWork = {};
  if (typeof sent !== 'object' || sent === null) return received;
  const values: { readonly [F in keyof SentWork]?: unknown } = sent;
  for (const field of sentFields) {
    const value = values[field];
    if (typeof value === 'string' && value.length <= maxCharacters) received[field] = value;
  }
  return received;
}
