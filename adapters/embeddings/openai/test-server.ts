import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpDouble } from '../../../test/support/http-double.ts';

/** How the test server behaves on one request. */
export type Behaviour =
  | {
      kind:
        | 'well'
        | 'shuffled'
        | 'no index'
        | 'wrong size'
        | 'missing item'
        | 'twice the same index'
        | 'not finite'
        | 'no json'
        | 'hang'
        | 'hang up'
        | 'endless';
    }
  | { kind: 'status'; status: number; retryAfter?: string };

/** A request to the test server. */
export interface SeenRequest {
  path: string;
  authorization: string | undefined;
  model: string;
  texts: string[];
}

/** A vector that depends only on the text; not of unit length. */
function vectorOf(text: string, dimensions: number): number[] {
  const seed = createHash('sha256').update(text).digest();
  return Array.from(
    { length: dimensions },
    (_, index) => ((seed[index % seed.length] ?? 0) - 127.5) * (1 + (index % 7)),
  );
}

async function bodyOf(request: IncomingMessage): Promise<{ model: string; input: string[] }> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  const parsed: unknown = JSON.parse(text);
  if (
    typeof parsed !== 'object' ||
    parsed === null ||
    !('model' in parsed && 'input' in parsed) ||
    !Array.isArray(parsed.input)
  )
    throw new Error('not a request for embeddings');
  return { model: String(parsed.model), input: parsed.input.map(String) };
}

/** A server with the interface of OpenAI's embeddings on a loopback port, which fails as configured. */
export class EmbeddingsDouble extends HttpDouble {
  readonly seen: SeenRequest[] = [];
  /** Behaviour of the next requests, first to last; later ones succeed. */
  readonly next: Behaviour[] = [];
  readonly #dimensions: number;

  constructor(dimensions: number) {
    super();
    this.#dimensions = dimensions;
  }

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { model, input } = await bodyOf(request);
    this.seen.push({ path: request.url ?? '', authorization: request.headers.authorization, model, texts: input });
    const behaviour = this.next.shift() ?? { kind: 'well' };
    if (behaviour.kind === 'hang') return;
    if (behaviour.kind === 'hang up') {
      request.socket.destroy();
      return;
    }
    if (behaviour.kind === 'status') {
      response
        .writeHead(behaviour.status, behaviour.retryAfter === undefined ? {} : { 'retry-after': behaviour.retryAfter })
        .end('{"error":{"message":"no"}}');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    if (behaviour.kind === 'no json') response.end('<html>');
    else if (behaviour.kind === 'endless') response.end('x'.repeat(2 ** 22));
    else response.end(JSON.stringify({ object: 'list', model, data: this.#data(input, behaviour.kind) }));
  }

  #data(texts: readonly string[], kind: Behaviour['kind']): object[] {
    const dimensions = kind === 'wrong size' ? this.#dimensions + 1 : this.#dimensions;
    const data = texts.map((text, index) => ({
      object: 'embedding',
      ...(kind === 'no index' ? {} : { index: kind === 'twice the same index' ? 0 : index }),
      embedding: vectorOf(text, dimensions).map((value) => (kind === 'not finite' ? null : value)),
    }));
    if (kind === 'missing item') data.pop();
    return kind === 'shuffled' ? data.reverse() : data;
  }
}
