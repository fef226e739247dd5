/** Attributes of a span: ids, names and numbers. Never a text of a file, a query, an address or a secret. */
export type Attributes = { readonly [name: string]: string | number | boolean };

/** A span of a trace, with child spans. None of its methods throws or waits. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** What another process continues the trace from: https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent: string;
  /** Starts a child span. */
  startChild(name: string, attributes: Attributes): Span;
  /** Records a child span that ended just now. `began` is of performance.now(). */
  recordChild(name: string, began: number, hasFailed: boolean): void;
  /** Adds attributes. */
  setAttributes(attributes: Attributes): void;
  /** Links the trace of a job that the work created. */
  linkJob(jobId: string): void;
  /** Ends the span. */
  end(hasFailed: boolean): void;
}

/** A job that ended. */
export interface EndedJob {
  jobId: string;
  /** In milliseconds since the epoch. */
  createdAt: number;
  hasFailed: boolean;
  attributes: Attributes;
}

/**
 * Traces of requests and jobs. What starts a trace returns null if it is not sampled: traces are off, or this one is
 * not in the share that is sampled. Either all spans of a trace are sampled or none.
 */
export interface Tracing {
  readonly isOn: boolean;
  /** Starts the span of a client's request. @param traceparent as the client sent it; a malformed one is ignored */
  request(name: string, traceparent: string | undefined, attributes: Attributes): Span | null;
  /** Starts the span of a stage. All stages of a job are in one trace, whose id is the job's without its dashes. */
  stage(jobId: string, name: string, attributes: Attributes): Span | null;
  /** Records the span of a job that ended: the parent of its stages. */
  job(ended: EndedJob): void;
  /** Starts the span of work that no request asked for. */
  background(name: string, attributes: Attributes): Span | null;
  /** The span of another process of this deployment that work is done for. It is not ended here. */
  received(traceparent: string): Span | null;
  /** Delivers the spans that are still buffered, for `milliseconds` at most; later ones are dropped. Never rejects. */
  stop(milliseconds: number): Promise<void>;
}

/** Tracing that is off. */
export const noTracing: Tracing = {
  isOn: false,
  request: () => null,
  stage: () => null,
  job: () => undefined,
  background: () => null,
  received: () => null,
  stop: () => Promise.resolve(),
};
