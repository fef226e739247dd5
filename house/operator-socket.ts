import { createServer, request, type IncomingMessage } from 'node:http';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrustedSources } from '../mixins/sources/trusted.ts';
import { refusalOf } from '../models/errors.ts';
import type { KeyScope } from '../models/organization.ts';
import { createKey, deactivateKey, listKeys, reactivateKey, type KeyView } from '../services/accounts/keys.ts';
import type { AccountsHouse } from '../services/accounts/tools.ts';

/** What the operator's command line asks of a program: over its socket while it runs, else on its records. */
export type OperatorRequest =
  | { do: 'keys.list' }
  | { do: 'keys.create'; accountId: string; scope: KeyScope; label: string }
  | { do: 'sources.trust'; origin: string; milliseconds: number }
  | { do: 'keys.deactivate' | 'keys.reactivate'; keyId: string };

/** What the operator's requests are carried out on. */
export type OperatorHouse = AccountsHouse & { trustedSources?: TrustedSources };

/** What comes back. */
export interface OperatorAnswer {
  keys: KeyView[];
  /** The new key, after `keys.create` alone. */
  key?: string;
}

/** Does what the operator asks, on open records; trusting a source needs a running program. */
export async function operate(house: OperatorHouse, asked: OperatorRequest): Promise<OperatorAnswer> {
  switch (asked.do) {
    case 'keys.list':
      return { keys: await listKeys(house) };
    case 'sources.trust':
      if (house.trustedSources === undefined) throw new Error('the program does not run: start it with npm start');
      house.trustedSources.trust(asked.origin, asked.milliseconds);
      return { keys: [] };
    case 'keys.create': {
      const { key, view } = await createKey(house, asked.accountId, asked.scope, asked.label);
      return { keys: [view], key };
    }
    case 'keys.deactivate':
    case 'keys.reactivate': {
      const view = await (asked.do === 'keys.deactivate' ? deactivateKey : reactivateKey)(house, asked.keyId);
      if (view === null) throw new Error(`there is no key ${asked.keyId}`);
      return { keys: [view] };
    }
  }
}

/** The socket's path in a data folder. The data folder's permissions, and mode 600, say who may use it. */
export function socketPath(dataFolder: string): string {
  return join(dataFolder, 'operator.sock');
}

/** Listens for the operator's command line beside the data. Answers how to close it. */
export async function listenForOperator(house: OperatorHouse, dataFolder: string): Promise<() => Promise<void>> {
  const path = socketPath(dataFolder);
  await rm(path, { force: true });
  const server = createServer((asked, response) => {
    bodyOf(asked)
      .then((body) => operate(house, body as OperatorRequest))
      .then((answer) => response.end(JSON.stringify(answer)))
      .catch((error: unknown) => {
        response.statusCode = 400;
        response.end(JSON.stringify({ error: refusalOf(error)?.data.detail ?? (error instanceof Error ? error.message : 'it failed') }));
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
  await chmod(path, 0o600);
  return () => new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function bodyOf(message: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > 65_536) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Asks a running program; null where none listens. @throws with what it answered */
export async function askProgram(dataFolder: string, asked: OperatorRequest): Promise<OperatorAnswer | null> {
  const answer = await new Promise<IncomingMessage | null>((resolve, reject) => {
    const message = request({ socketPath: socketPath(dataFolder), method: 'POST', path: '/' }, resolve);
    message.once('error', (error: Error & { code?: string }) => (error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? resolve(null) : reject(error)));
    message.end(JSON.stringify(asked));
  });
  if (answer === null) return null;
  const body = await bodyOf(answer);
  if (answer.statusCode !== 200) throw new Error(typeof body === 'object' && body !== null && 'error' in body ? String(body.error) : 'the program refused');
  return body as OperatorAnswer;
}
