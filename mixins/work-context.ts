import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracing.ts';

/** What a piece of work is done for. Every line that is logged meanwhile tells it. */
export interface WorkContext {
  requestId?: string;
  organizationId?: string;
  assetId?: string;
  jobId?: string;
  stage?: string;
  connectorId?: string;
}

/** A piece of work: what it is done for, and its step in a trace where it is traced. */
export interface Work extends WorkContext {
  span?: Span | null;
}

/** How a call tells another process what it is made for. */
export interface SentWork extends WorkContext {
  traceparent?: string;
}

const storage = new AsyncLocalStorage<Work>();
const sentFields = ['requestId', 'organizationId', 'assetId', 'jobId', 'stage', 'connectorId', 'traceparent'] as const;
/** Longest id that is taken from another process. */
const mostCharacters = 200;

/** Does work for a request or a job: whatever it starts is done for the same. */
export function workingFor<T>(work: Work, perform: () => T): T {
  return storage.run(work, perform);
}

/** The work that is done at the moment; nothing outside of requests and jobs. */
export function currentWork(): Work | undefined {
  return storage.getStore();
}

/** What is worked for at the moment, as the log tells it: a new object each time. */
export function workContext(): WorkContext & { traceId?: string } {
  const work = storage.getStore();
  if (work === undefined) return {};
  const { span, ...context } = work;
  return span === undefined || span === null ? context : { ...context, traceId: span.traceId };
}

/** What is worked for at the moment, as a call to another process tells it; null where there is nothing to tell. */
export function sentWork(): SentWork | null {
  const work = storage.getStore();
  if (work === undefined) return null;
  const { span, ...context } = work;
  return span === undefined || span === null ? context : { ...context, traceparent: span.traceparent };
}

/** What another process told with its call. What is no short text is left out. */
export function receivedWork(sent: unknown): SentWork {
  const received: SentWork = {};
  if (typeof sent !== 'object' || sent === null) return received;
  const values: { readonly [F in keyof SentWork]?: unknown } = sent;
  for (const field of sentFields) {
    const value = values[field];
    if (typeof value === 'string' && value.length <= mostCharacters) received[field] = value;
  }
  return received;
}
