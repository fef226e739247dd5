import { ExportResultCode } from '@opentelemetry/core';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';

/** Spans that are kept until the collector has them, those under way to it among them. */
export const mostSpans = 4096;
/** Spans that go to the collector in one request. */
const batchSize = 512;
/** How long a span waits for others at most, in milliseconds. */
const waitMs = 1000;

/** How it went with a number of spans: there was no room for them, or the collector did or did not take them. */
export type TellDelivery = (outcome: 'delivered' | 'dropped' | 'failed', spans: number) => void;

/** Tells how each batch came out, and hands everything on. */
function told(exporter: SpanExporter, tell: (hasFailed: boolean, spans: number) => void): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans, (result) => {
      tell(result.code !== ExportResultCode.SUCCESS, spans.length);
      done(result);
    }),
    shutdown: () => exporter.shutdown(),
  };
}

/**
 * Hands ended spans to an exporter in batches. However slow or broken the collector is, no more than `most` spans are
 * kept: those that come then are dropped, and counted.
 */
export class Delivery implements SpanProcessor {
  private readonly batches: BatchSpanProcessor;
  private readonly tell: TellDelivery;
  private readonly most: number;
  private kept = 0;

  /** @param most spans that are kept at a time */
  constructor(exporter: SpanExporter, tell: TellDelivery, most: number = mostSpans) {
    this.tell = tell;
    this.most = most;
    const counted = told(exporter, (hasFailed, spans) => {
      this.kept -= spans;
      tell(hasFailed ? 'failed' : 'delivered', spans);
    });
    this.batches = new BatchSpanProcessor({ exporter: counted, maxQueueSize: most, maxExportBatchSize: Math.min(batchSize, most), scheduledDelayMillis: waitMs });
  }

  onStart(): void {
    // Only ended spans are handed over.
  }

  onEnd(span: ReadableSpan): void {
    if (this.kept >= this.most) {
      this.tell('dropped', 1);
      return;
    }
    this.kept += 1;
    this.batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.batches.shutdown();
  }
}
