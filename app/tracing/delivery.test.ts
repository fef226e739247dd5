import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { Delivery } from './delivery.ts';

describe('the delivery of spans', () => {
  it('limits the buffer, counts dropped spans, and continues when the collector responds', async () => {
    const batches: { spans: ReadableSpan[]; done: (code: ExportResultCode) => void }[] = [];
    const exporter: SpanExporter = {
      export: (spans, done) => batches.push({ spans, done: (code) => done({ code }) }),
      shutdown: () => Promise.resolve(),
    };
    const counts = { delivered: 0, dropped: 0, failed: 0 };
    const delivery = new Delivery(exporter, (outcome, spans) => (counts[outcome] += spans), 4);
    const tracer = new TracerProvider({ spanProcessors: [delivery] }).getTracer('test');
    const end = (spans: number): void => {
      for (let count = 0; count < spans; count++) tracer.startSpan('step').end();
    };
    end(4);
    // The batch is full and on its way: what is with the collector still counts.
    expect(batches.map(({ spans }) => spans.length)).toEqual([4]);
    end(3);
    expect(counts).toEqual({ delivered: 0, dropped: 3, failed: 0 });
    batches[0]?.done(ExportResultCode.SUCCESS);
    await Promise.resolve();
    end(2);
    const stopped = delivery.shutdown();
    await new Promise((resolve) => setImmediate(resolve));
    expect(batches.map(({ spans }) => spans.length)).toEqual([4, 2]);
    batches[1]?.done(ExportResultCode.FAILED);
    await stopped.catch((error: unknown) => expect(error).toBeInstanceOf(Error));
    expect(counts).toEqual({ delivered: 4, dropped: 3, failed: 2 });
  });
});
