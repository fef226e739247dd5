import { createServer, request, type IncomingMessage } from 'node:http';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { refusalOf } from '../models/errors.ts';
import { isObject } from '../models/schemas/schema.ts';
import { operate, type OperationAnswer, type OperationName, type OperatorContext } from './operator.ts';

/** The socket's path in a data folder. The data folder's permissions, and mode 600, say who may use it. */
function socketPath(dataFolder: string): string {
  return join(dataFolder, 'operator.sock');
}

/** Listens for the operator's command line on a socket in the data folder. Returns a function that closes it. */
export async function listenForOperator(app: OperatorContext, dataFolder: string): Promise<() => Promise<void>> {
  const path = socketPath(dataFolder);
  await mkdir(dataFolder, { recursive: true });
  await rm(path, { force: true });
  const server = createServer((asked, response) => {
    bodyOf(asked, maxAsked)
      .then((body) =>
        isObject(body)
          ? operate(app, String(body['do']), body['with'])
          : Promise.reject(new Error('the request is no object')),
      )
      .then((answer) => response.end(JSON.stringify(answer)))
      .catch((error: unknown) => {
        response.statusCode = 400;
        response.end(JSON.stringify({ error: sentenceOf(error) }));
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
  await chmod(path, 0o600);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

/** The message of an error for the operator. */
export function sentenceOf(error: unknown): string {
  const refusal = refusalOf(error);
  const reason = error instanceof Error ? error.message : 'it failed';
  if (refusal === null) return reason;
  const { fields, detail = reason } = refusal.data;
  return fields === undefined ? detail : `${fields.join('.')} ${detail}`;
}

const maxAsked = 2 ** 20;
/** Ten passages may be long, and a list of keys too. */
const maxAnswered = 2 ** 26;

async function bodyOf(message: IncomingMessage, maxBytes: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error('the message is too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/**
 * Sends a request to a running program; null if none is listening.
 * @param input what the operation takes, as plain JSON; the program checks it
 * @throws with the error that the program returned
 */
export async function askProgram<N extends OperationName>(
  dataFolder: string,
  name: N,
  input: object,
): Promise<OperationAnswer<N> | null> {
  const answer = await new Promise<IncomingMessage | null>((resolve, reject) => {
    const message = request({ socketPath: socketPath(dataFolder), method: 'POST', path: '/' }, resolve);
    message.once('error', (error: Error & { code?: string }) =>
      error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(null) : reject(error),
    );
    message.end(JSON.stringify({ do: name, with: input }));
  });
  if (answer === null) return null;
  const body = await bodyOf(answer, maxAnswered);
  if (answer.statusCode !== 200)
    throw new Error(isObject(body) && 'error' in body ? String(body['error']) : 'the program refused');
  return body as OperationAnswer<N>;
}
