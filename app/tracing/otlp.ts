import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type SpanContext } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type IdGenerator,
} from '@opentelemetry/sdk-trace';
import { setTimeout as pause } from 'node:timers/promises';
import type { AppContext } from '../../mixins/app-context.ts';
import type { Attributes, EndedJob, Span, Tracing } from '../../mixins/tracing.ts';
import { Delivery, type ReportDelivery } from './delivery.ts';
import { jobSpan, parseTraceparent, RecordedSpan, within, type SpanTools } from './span.ts';

/** The parts of the app context that tracing uses. */
export type TracingContext = Pick<AppContext, 'configuration' | 'runtime' | 'log' | 'metrics' | 'nodeId'>;

/** Time limit of exporting one batch, including retries, in milliseconds. */
const exportMs = 5000;
/** Minimum interval between two warnings about undelivered traces, in milliseconds. */
const warningIntervalMs = 60_000;
/** Interval at which the clock of the spans is synchronised, in milliseconds. */
const syncIntervalMs = 60_000;
/** Maximum length of an attribute value, in characters. */
const maxCharacters = 256;

/** Random ids, except for the span of a job, whose ids are derived from the job's id. */
class Ids implements IdGenerator {
  next: SpanContext | null = null;
  private readonly random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.next?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.next?.spanId ?? this.random.generateSpanId();
  }
}

/** A clock with fractions of milliseconds that follows `now`, which may be adjusted while the process runs. */
function preciseClock(now: () => number): () => number {
  let [syncedAt, offset] = [performance.now(), now() - performance.now()];
  return () => {
    const at = performance.now();
    if (at - syncedAt > syncIntervalMs) [syncedAt, offset] = [at, now() - at];
    return offset + at;
  };
}

/** Counts spans by outcome, and logs delivery failures at a limited rate. */
function deliveryReporter({ runtime, log, metrics }: TracingContext): ReportDelivery {
  const spans = metrics.counter(
    'ply_trace_spans_total',
    'Spans by outcome: delivered, dropped (buffer full) or failed (not accepted by the collector).',
    { outcome: ['delivered', 'dropped', 'failed'] },
  );
  let warnedAt = Number.NEGATIVE_INFINITY;
  return (outcome, count) => {
    spans.inc({ outcome }, count);
    if (outcome === 'delivered' || runtime.now() - warnedAt < warningIntervalMs) return;
    warnedAt = runtime.now();
    log.warn({ outcome }, 'traces are not delivered');
  };
}

/**
 * Traces by OpenTelemetry, delivered to a collector by OTLP over HTTP
 * (https://opentelemetry.io/docs/specs/otlp/#otlphttp). A trace is sampled by its id, so that all processes decide
 * alike.
 * @param url address of the collector; `/v1/traces` is added
 * @param ratio share of sampled traces, above 0 and at most 1
 */
export function otlpTracing(app: TracingContext, url: string, ratio: number): Tracing {
  const share = new TraceIdRatioBasedSampler(ratio);
  const ids = new Ids();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'ply', 'service.instance.id': app.nodeId }),
    // A client may opt out of a trace, but not raise the share. All spans within a sampled trace are recorded.
    sampler: new ParentBasedSampler({
      root: share,
      remoteParentSampled: share,
      remoteParentNotSampled: new AlwaysOffSampler(),
      localParentSampled: new AlwaysOnSampler(),
    }),
    spanLimits: { attributeValueLengthLimit: maxCharacters },
    idGenerator: ids,
    spanProcessors: [
      new Delivery(new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis: exportMs }), deliveryReporter(app)),
    ],
  });
  const tools: SpanTools = { tracer: provider.getTracer('ply'), now: preciseClock(() => app.runtime.now()) };
  const begin = (name: string, kind: SpanKind, attributes: Attributes, context: Context): Span | null => {
    const span = tools.tracer.startSpan(name, { kind, attributes, startTime: tools.now() }, context);
    return span.isRecording() ? new RecordedSpan(tools, span) : null;
  };
  const recordJob = ({ jobId, createdAt, hasFailed, attributes }: EndedJob): void => {
    ids.next = jobSpan(jobId);
    const span = tools.tracer.startSpan(
      'job',
      { kind: SpanKind.INTERNAL, attributes: { 'ply.job.id': jobId, ...attributes }, startTime: createdAt },
      ROOT_CONTEXT,
    );
    ids.next = null;
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(tools.now());
  };
  return {
    isOn: true,
    request: (name, traceparent, attributes) => {
      const parent = traceparent === undefined ? null : parseTraceparent(traceparent);
      return begin(
        name,
        SpanKind.SERVER,
        attributes,
        parent === null ? ROOT_CONTEXT : within({ ...parent, isRemote: true }),
      );
    },
    stage: (jobId, name, attributes) => {
      const job = jobSpan(jobId);
      return begin(
        name,
        SpanKind.CONSUMER,
        { 'ply.job.id': jobId, ...attributes },
        job === null ? ROOT_CONTEXT : within({ ...job, isRemote: true }),
      );
    },
    job: recordJob,
    background: (name, attributes) => begin(name, SpanKind.INTERNAL, attributes, ROOT_CONTEXT),
    received: (traceparent) => {
      const context = parseTraceparent(traceparent);
      // Not marked as remote: the other process has decided to sample this trace.
      return context === null || context.traceFlags === 0
        ? null
        : new RecordedSpan(tools, trace.wrapSpanContext(context));
    },
    stop: async (milliseconds) => {
      const late = new AbortController();
      const delivered = provider
        .shutdown()
        .catch((error: unknown) => app.log.debug({ err: error }, 'the last traces were not delivered'));
      // The pause rejects when it is cancelled below.
      await Promise.race([delivered, pause(milliseconds, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
    },
  };
}
