import { setTimeout as pause } from 'node:timers/promises';
import type { Accepted, AssetView, JobView, SearchResponse, SubOrganizationView } from '../../../models/api.ts';

/** Timeout for responses and states, in milliseconds: long enough for a busy machine. */
const timeoutMs = 100_000;

/** Prefix of the content API. */
export const content = '/api/content/v1';

/** The body of an error. */
export interface ErrorBody {
  code: string;
  detail: string;
  fields?: (string | number)[];
  field?: string;
  retryable?: true;
  requestId: string;
}

/** An answer of the API. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** The request without method and path. */
export interface Sent {
  body?: unknown;
  /** A body that is sent unchanged, with its Content-Type. */
  raw?: { type: string | null; body: string | Uint8Array<ArrayBuffer> };
  headers?: Record<string, string>;
}

/** Fields of a registration; missing ones get defaults. */
export interface Registration {
  externalId?: string;
  filename?: string;
  kind?: string;
  sourceUrl: string;
  sourceVersion: string;
  [field: string]: unknown;
}

/** The expected refusal. */
export type Expected = [status: number, code: string, fields?: (string | number)[]];

let counter = 0;

/** Sends requests to a running program as one organization. */
export class Client {
  readonly url: string;
  readonly organizationId: string;
  readonly key: string;

  constructor(url: string, organizationId: string, key: string) {
    this.url = url;
    this.organizationId = organizationId;
    this.key = key;
  }

  /** A client of another organization. */
  as(organizationId: string): Client {
    return new Client(this.url, organizationId, this.key);
  }

  /** Sends a request. An empty header value omits the header. */
  async ask<T = ErrorBody>(method: string, path: string, { body, raw, headers = {} }: Sent = {}): Promise<Answer<T>> {
    const all: Record<string, string> = {
      Authorization: `ApiKey ${this.key}`,
      'X-Organization-Id': this.organizationId,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    if (typeof raw?.type === 'string') all['Content-Type'] = raw.type;
    Object.assign(all, headers);
    for (const [name, value] of Object.entries(all)) if (value === '') delete all[name];
    const sent = raw?.body ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: all,
      ...(sent === undefined ? {} : { body: sent }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    // A file that is no JSON counts as no body.
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const parsed: T = isJson && text !== '' ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, body: parsed };
  }

  /** Sends a request that must succeed with a status, and returns its body. */
  async get<T>(status: number, method: string, path: string, sent: Sent = {}): Promise<T> {
    const answer = await this.ask<T>(method, path, sent);
    if (answer.status !== status)
      throw new Error(`${method} ${path} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Registers a file. */
  register(fields: Registration): Promise<Accepted> {
    return this.get(202, 'POST', `${content}/assets`, { body: registration(fields) });
  }

  asset(assetId: string): Promise<AssetView> {
    return this.get(200, 'GET', `${content}/assets/${assetId}`);
  }

  job(jobId: string): Promise<JobView> {
    return this.get(200, 'GET', `${content}/jobs/${jobId}`);
  }

  search(request: object): Promise<SearchResponse> {
    return this.get(200, 'POST', `${content}/search`, { body: request });
  }

  /** Waits until a job is in one of the states, and returns it. */
  async reaches(jobId: string, ...states: string[]): Promise<JobView> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const job = await this.job(jobId);
      if (states.includes(job.state)) return job;
      const over = ['ready', 'failed', 'cancelled'].includes(job.state);
      if (over || performance.now() > deadline)
        throw new Error(`job ${jobId} is ${JSON.stringify(job)}, not ${states.join(' or ')}`);
      await pause(15);
    }
  }

  /** Registers a file and waits until it is ready. */
  async indexed(fields: Registration): Promise<Accepted> {
    const accepted = await this.register(fields);
    await this.reaches(accepted.jobId, 'ready');
    return accepted;
  }

  createOrganization(name: string): Promise<SubOrganizationView> {
    return this.get(201, 'POST', '/api/sub-organizations', { body: { name } });
  }
}

/** A registration with defaults for missing fields. */
export function registration(fields: Registration): { [field: string]: unknown } {
  counter += 1;
  return { externalId: `file-${counter}`, filename: `file-${counter}.txt`, kind: 'document', ...fields };
}

/** Checks that a response has the expected status, code and field, and the shape of every error. */
export function expectRefused(answer: Answer<ErrorBody>, [status, code, fields]: Expected): void {
  const { body } = answer;
  expect({ status: answer.status, code: body.code, fields: body.fields }).toEqual({ status, code, fields });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(typeof body.detail === 'string' && body.detail.length > 0).toBe(true);
  expect(body.field).toBe(fields?.join('.'));
  expect(body.requestId).toBe(answer.headers.get('x-request-id'));
}

/** Polls until the value is as expected. */
export async function until<T>(
  ask: () => Promise<T>,
  wanted: (value: T) => boolean,
  milliseconds = timeoutMs,
): Promise<T> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const value = await ask();
    if (wanted(value)) return value;
    if (performance.now() > deadline)
      throw new Error(`still ${JSON.stringify(value)?.slice(0, 600)} after ${milliseconds} ms`);
    await pause(15);
  }
}
