import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Configuration } from '../models/configuration/configuration.ts';
import { isObject } from '../models/schemas/schema.ts';
import { CommandError, findAccess, reasonOf, type Access } from './connection.ts';

/** Code of JSON-RPC for failures of the server. */
const internalError = -32603;
/** Milliseconds for one message. */
const answerMs = 60_000;

/**
 * `ply mcp`: speaks the Model Context Protocol on standard input and output, one message a line, and has each message
 * answered by the running program at `/mcp`. Nothing else may be written to standard output.
 */
export async function mcp(configuration: Configuration, words: readonly string[]): Promise<string> {
  await relay(await findAccess(configuration), queryOf(words), process.stdin, process.stdout);
  return '';
}

/** The reader for whom the whole connection is, as the query of the address. @throws CommandError */
function queryOf(words: readonly string[]): URLSearchParams {
  const query = new URLSearchParams();
  for (let at = 0; at < words.length; at += 1) {
    const principal = words[at + 1];
    if (words[at] === '--as-reader') query.set('asReader', 'true');
    else if (words[at] === '--as' && principal !== undefined) {
      query.append('principals', principal);
      at += 1;
    } else throw new CommandError('Usage: npm run --silent ply -- mcp [--as <principal>]... [--as-reader]');
  }
  return query;
}

/** Relays messages until the input ends, and what is under way has been answered. */
export async function relay(
  { apiUrl, headers }: Access,
  query: URLSearchParams,
  input: Readable,
  output: Writable,
): Promise<void> {
  const address = new URL(`/mcp?${query.toString()}`, apiUrl);
  const inProgress = new Map<unknown, AbortController>();
  const working = new Set<Promise<void>>();
  for await (const line of createInterface({ input })) {
    if (line.trim() === '') continue;
    const message = parsed(line);
    const { id, method } = message;
    if (method === 'notifications/cancelled') {
      inProgress.get(isObject(message['params']) ? message['params']['requestId'] : undefined)?.abort();
      continue;
    }
    const stop = new AbortController();
    if (id !== undefined) inProgress.set(id, stop);
    const work = answerTo(address, { ...headers, ...headersOf(message) }, line, stop.signal).then((answer) => {
      if (id !== undefined) inProgress.delete(id);
      if (stop.signal.aborted) return;
      if ('line' in answer) {
        if (answer.line !== '') output.write(`${answer.line}\n`);
      } else if (id === undefined) process.stderr.write(`${answer.failure}\n`);
      else output.write(`${failed(id, answer)}\n`);
    });
    working.add(work);
    void work.finally(() => working.delete(work));
  }
  await Promise.all(working);
}

/** The fields of a message; none where it is not an object, which the program then refuses. */
function parsed(line: string): { [name: string]: unknown } {
  try {
    const message: unknown = JSON.parse(line);
    return isObject(message) ? message : {};
  } catch {
    return {};
  }
}

/** The headers that repeat what the message says, as the protocol asks of messages over HTTP. */
function headersOf({ method, params }: { [name: string]: unknown }): { [name: string]: string } {
  const { name, _meta: meta } = isObject(params) ? params : {};
  const version = isObject(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined;
  return {
    ...(typeof version === 'string' ? { 'MCP-Protocol-Version': inHeader(version) } : {}),
    ...(typeof method === 'string' ? { 'Mcp-Method': inHeader(method) } : {}),
    ...(typeof name === 'string' ? { 'Mcp-Name': inHeader(name) } : {}),
  };
}

/** A text as a header's value. */
function inHeader(text: string): string {
  return /^[\x21-\x7e]{1,200}$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** A message of the program, empty for none; or why there is none. */
type Answer = { line: string } | { failure: string; data?: object };

async function answerTo(
  address: URL,
  headers: { [name: string]: string },
  message: string,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: message,
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
    });
    const line = await response.text();
    const body = parsed(line);
    if (body['jsonrpc'] === '2.0' || (response.ok && line === '')) return { line };
    return { failure: `${response.status} ${String(body['code'])}: ${String(body['detail'])}`, data: body };
  } catch (error) {
    return { failure: `Ply does not respond at ${address.origin} (${reasonOf(error)}). Start it with: npm start` };
  }
}

function failed(id: unknown, { failure, data }: Extract<Answer, { failure: string }>): string {
  const error = { code: internalError, message: failure, ...(data === undefined ? {} : { data }) };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}
