/** What a span says of its work: ids, names and numbers. Never a text of a file, a query, an address or a secret. */
export type Attributes = { readonly [name: string]: string | number | boolean };

/** One step of traced work, with its steps within. Nothing of it ever throws or waits. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** How another process is told of this step: https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent: string;
  /** Begins a step within this one. */
  begin(name: string, attributes: Attributes): Span;
  /** Tells a step within this one that has ended just now. `began` is of performance.now(). */
  over(name: string, began: number, hasFailed: boolean): void;
  /** Adds to what the span says. */
  tell(attributes: Attributes): void;
  /** The work made a job: its trace can be reached from here. */
  leadsTo(jobId: string): void;
  /** The step has ended. */
  end(hasFailed: boolean): void;
}

/** A job that came to its end. */
export interface EndedJob {
  jobId: string;
  /** In milliseconds since the epoch. */
  createdAt: number;
  hasFailed: boolean;
  attributes: Attributes;
}

/**
 * Traces of requests and jobs. What begins a trace answers null where it is not traced: because traces are off, or this
 * one is not among the share that is traced. All steps of one trace are traced or none.
 */
export interface Tracing {
  readonly isOn: boolean;
  /** A request from outside. @param traceparent as the client sent it; a malformed one is as good as none */
  request(name: string, traceparent: string | undefined, attributes: Attributes): Span | null;
  /** A stage of a job. All stages of a job are in one trace, whose id is the job's without its dashes. */
  stage(jobId: string, name: string, attributes: Attributes): Span | null;
  /** A job has ended: the step that its stages are within. */
  job(ended: EndedJob): void;
  /** Work that nobody asked for with a request. */
  background(name: string, attributes: Attributes): Span | null;
  /** The step of another process of this deployment that work is done for. It is not ended here. */
  received(traceparent: string): Span | null;
  /** Hands over what is still kept, for as long as that may take; later steps are not told. Never rejects. */
  stop(milliseconds: number): Promise<void>;
}

/** Traces that are off. */
export const noTracing: Tracing = {
  isOn: false,
  request: () => null,
  stage: () => null,
  job: () => undefined,
  background: () => null,
  received: () => null,
  stop: () => Promise.resolve(),
};
