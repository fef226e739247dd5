import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpDouble } from '../../../test/support/http-double.ts';

/** What a request held. */
export interface SeenChat {
  path: string;
  authorization: string | undefined;
  body: {
    model: string;
    stream: boolean;
    messages: { role: string; content: string }[];
    max_tokens?: number;
    max_completion_tokens?: number;
    temperature?: number;
  };
}

/** How the server answers a request instead of with its usual text. */
export type ChatBehaviour =
  | { kind: 'say'; text: string; finish?: string; afterMs?: number }
  | { kind: 'status'; status: number; retryAfter?: string }
  | { kind: 'hang' | 'hang up' | 'endless' }
  | { kind: 'body'; body: string };

/** A server with the interface of OpenAI's chat completions on a loopback port with configurable answers. */
export class ChatDouble extends HttpDouble {
  readonly seen: SeenChat[] = [];
  /** Behaviour of the next requests, first to last; `usual` afterwards. */
  readonly next: ChatBehaviour[] = [];
  usual: ChatBehaviour = { kind: 'say', text: 'It is so [1].' };
  /** Status that the list of models is answered with. */
  models = 200;
  /** Models in that list. */
  listed = 0;
  /** How often the list of models was asked for. */
  pings = 0;
  /** Names of parameters that it refuses with 400. */
  readonly refused = new Set<string>();

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith('/v1/models') === true) {
      this.pings += 1;
      response.writeHead(this.models, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          object: 'list',
          data: Array.from({ length: this.listed }, (_, i) => ({ id: `model ${i}`, object: 'model' })),
        }),
      );
      return;
    }
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += String(part);
    const body: SeenChat['body'] = JSON.parse(text);
    this.seen.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
    if (Object.keys(body).some((name) => this.refused.has(name))) {
      response.writeHead(400).end('{"error":{"message":"unsupported parameter"}}');
      return;
    }
    const behaviour = this.next.shift() ?? this.usual;
    if (behaviour.kind === 'hang') return;
    if (behaviour.kind === 'hang up') {
      request.socket.destroy();
      return;
    }
    if (behaviour.kind === 'status')
      response
        .writeHead(behaviour.status, behaviour.retryAfter === undefined ? {} : { 'retry-after': behaviour.retryAfter })
        .end('{"error":{"message":"no"}}');
    else if (behaviour.kind === 'endless') response.writeHead(200).end(completion('x'.repeat(2 ** 20)));
    else if (behaviour.kind === 'body')
      response.writeHead(200, { 'content-type': 'application/json' }).end(behaviour.body);
    else if (behaviour.kind === 'say') {
      if (behaviour.afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, behaviour.afterMs));
      response.writeHead(200, { 'content-type': 'application/json' }).end(completion(behaviour.text, behaviour.finish));
    }
  }
}

function completion(content: string, finish = 'stop'): string {
  return JSON.stringify({
    id: 'chat-1',
    object: 'chat.completion',
    created: 1,
    model: 'test',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
    usage: { total_tokens: 3 },
  });
}
