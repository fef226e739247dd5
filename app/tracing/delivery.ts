import { ExportResultCode } from '@opentelemetry/core';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** Maximum buffered spans, including those being sent to the collector. */
export const maxSpans = 4096;
/** Maximum spans of one request to the collector. */
const batchSize = 512;
/** Maximum delay of a span before its batch is sent, in milliseconds. */
const maxDelayMs = 1000;

/** Receives the outcome of spans: `dropped` if the buffer was full, `failed` if the collector did not accept them. */
export type ReportDelivery = (outcome: 'delivered' | 'dropped' | 'failed', spans: number) => void;

/** Wraps an exporter and reports the outcome of each batch. */
function reporting(exporter: SpanExporter, report: (hasFailed: boolean, spans: number) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        report(result.code !== ExportResultCode.SUCCESS, spans.length);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/**
 * Passes ended spans to an exporter in batches. If the collector is slow or fails, at most `max` spans are buffered;
 * further spans are dropped and counted.
 */
export class Delivery implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;
  private readonly report: ReportDelivery;
  private readonly max: number;
  private buffered = 0;

  /** @param max maximum buffered spans */
  constructor(exporter: SpanExporter, report: ReportDelivery, max: number = maxSpans) {
    this.report = report;
    this.max = max;
    const counted = reporting(exporter, (hasFailed, spans) => {
      this.buffered -= spans;
      report(hasFailed ? 'failed' : 'delivered', spans);
    });
    this.batches = new BatchSpanProcessor({
      exporter: counted,
      maxQueueSize: max,
      maxExportBatchSize: Math.min(batchSize, max),
      scheduledDelayMillis: maxDelayMs,
    });
  }

  onStart(): void {
    // Only ended spans are exported.
  }

  onEnd(span: ReadableSpan): void {
    if (this.buffered >= this.max) {
      this.report('dropped', 1);
      return;
    }
    this.buffered += 1;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }
}
