import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { samplesOf } from '../wav.ts';
import { HttpDouble } from '../../../test/support/http-double.ts';

/** What a request held. */
export interface SeenRequest {
  path: string;
  authorization: string | undefined;
  fields: Readonly<Record<string, string[]>>;
  /** Bytes of the file; 0 where it was no WAV file. */
  samples: number;
}

/** How the server answers a request instead of well. */
export type Behaviour =
  | { kind: 'status'; status: number; retryAfter?: string }
  | { kind: 'hang' | 'hang up' | 'endless' }
  | { kind: 'body'; body: string };

const said = {
  task: 'transcribe',
  language: 'english',
  duration: 3,
  text: 'Four, queen of clubs.',
  segments: [{ id: 0, start: 0, end: 3, text: ' Four, queen of clubs.' }],
  words: [
    { word: 'Four', start: 0.1, end: 0.5 },
    { word: 'queen', start: 0.7, end: 1 },
    { word: 'of', start: 1, end: 1.2 },
    { word: 'clubs', start: 1.2, end: 2.9 },
  ],
};

/** The parts of a multipart body (RFC 7578) by their names, as bytes of one character each. */
async function formOf(request: IncomingMessage): Promise<[name: string, content: string][]> {
  let body = '';
  for await (const part of request.setEncoding('latin1')) body += String(part);
  const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = '', ...content] = part.slice(2, -2).split('\r\n\r\n');
      return [/ name="([^"]*)"/.exec(head)?.[1] ?? '', content.join('\r\n\r\n')];
    });
}

function samplesIn(bytes: Uint8Array): Uint8Array | null {
  try {
    return samplesOf(bytes);
  } catch {
    // What a real server answers with 400.
    return null;
  }
}

/** A server with the interface of OpenAI's transcriptions on a loopback port, which misbehaves as configured. */
export class SpeechDouble extends HttpDouble {
  readonly seen: SeenRequest[] = [];
  /** Behaviour of the next requests, first to last; well afterwards. */
  readonly next: Behaviour[] = [];
  /** Formats of answers that it refuses. */
  readonly refusedFormats = new Set<string>();
  /** Milliseconds that each answer takes. */
  milliseconds = 0;

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    const form = await formOf(request);
    const fields: Record<string, string[]> = {};
    for (const [name, content] of form) if (name !== 'file') (fields[name] ??= []).push(content);
    const samples = samplesIn(Buffer.from(form.find(([name]) => name === 'file')?.[1] ?? '', 'latin1'));
    this.seen.push({
      path: request.url ?? '',
      authorization: request.headers.authorization,
      fields,
      samples: samples?.length ?? 0,
    });
    const behaviour = this.next.shift();
    if (this.milliseconds > 0) await pause(this.milliseconds);
    const refuse = (status: number): void => void response.writeHead(status).end('{"error":{"message":"no"}}');
    if (behaviour?.kind === 'hang') return;
    if (behaviour?.kind === 'hang up') request.socket.destroy();
    else if (behaviour?.kind === 'status')
      response
        .writeHead(behaviour.status, behaviour.retryAfter === undefined ? {} : { 'retry-after': behaviour.retryAfter })
        .end('{"error":{"message":"no"}}');
    else if (behaviour?.kind === 'endless') response.writeHead(200).end(`{"text":"${'x'.repeat(2 ** 22)}"}`);
    else if (samples === null || this.refusedFormats.has(fields['response_format']?.[0] ?? '')) refuse(400);
    else if (behaviour?.kind === 'body')
      response.writeHead(200, { 'content-type': 'application/json' }).end(behaviour.body);
    else if (samples.every((byte) => byte === 0))
      response.writeHead(200).end('{"language":"english","duration":2,"text":"","segments":[],"words":[]}');
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(fields['response_format']?.[0] === 'verbose_json' ? said : { text: said.text }));
  }
}
