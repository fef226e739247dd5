import { setTimeout as pause } from 'node:timers/promises';

/** A response of the API. */
export interface Answer {
  status: number;
  // The callers know the fields of their routes.
  body: { [field: string]: unknown };
}

/** A client of the API for one organization. It can retry retryable failures. */
export class ApiClient {
  readonly organizationId: string;
  private readonly apiUrl: string;
  private readonly key: string;

  constructor(apiUrl: string, organizationId: string, key: string) {
    this.apiUrl = apiUrl;
    this.organizationId = organizationId;
    this.key = key;
  }

  /** One request without retries. @throws if there is no answer */
  async ask(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.apiUrl}${path}`, {
      method,
      headers: {
        Authorization: `ApiKey ${this.key}`,
        'X-Organization-Id': this.organizationId,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) };
  }

  /**
   * Retries until an answer is not retryable. Retryable are: no connection, 429, 5xx, and a conflict with a running
   * request of this client.
   */
  async askUntilAnswered(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
    milliseconds = 300_000,
  ): Promise<Answer> {
    const deadline = Date.now() + milliseconds;
    let last = 'nothing';
    while (Date.now() < deadline) {
      try {
        const answer = await this.ask(method, path, body, headers);
        if (
          answer.status < 500 &&
          answer.status !== 429 &&
          !(answer.status === 409 && answer.body['retryable'] === true)
        )
          return answer;
        last = `${answer.status} ${JSON.stringify(answer.body)}`;
      } catch (error) {
        last = error instanceof Error ? error.message : String(error);
      }
      await pause(200);
    }
    throw new Error(`${method} ${path} had no answer within ${milliseconds} ms; last: ${last}`);
  }
}
