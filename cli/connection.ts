import { resolve } from 'node:path';
import { readOperatorFile } from '../house/operator-file.ts';
import type { Configuration } from '../models/configuration/configuration.ts';

/** What stops a command, told in one sentence that says what to do next. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}

/** Speaks to the API of a running program. */
export interface Connection {
  apiUrl: string;
  organizationId: string;
  /** @throws CommandError where the program does not answer, or answers with an error other than those in `expected` */
  ask(method: string, path: string, body?: object, expected?: readonly number[]): Promise<{ status: number; body: { [field: string]: unknown } }>;
}

/** Finds the API and its key: from the variables, else from what the first start left beside the data. */
export async function connect(configuration: Configuration): Promise<Connection> {
  const kept = await readOperatorFile(resolve(configuration.PLY_DATA_DIR));
  const apiUrl = configuration.PLY_API_URL ?? kept?.apiUrl ?? `http://${configuration.PLY_HOST}:${configuration.PLY_API_PORT}`;
  const key = configuration.PLY_API_KEY ?? kept?.key;
  const organizationId = configuration.PLY_ORGANIZATION_ID ?? kept?.organizationId;
  if (key === undefined || organizationId === undefined) {
    throw new CommandError('No key for the API is known here. Start the program with npm start in this folder, or set PLY_API_URL, PLY_API_KEY and PLY_ORGANIZATION_ID.');
  }
  return {
    apiUrl,
    organizationId,
    ask: async (method, path, body, expected = []) => {
      let response: Response;
      try {
        response = await fetch(`${apiUrl}/api/content/v1${path}`, {
          method,
          headers: { Authorization: `ApiKey ${key}`, 'X-Organization-Id': organizationId, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
      } catch {
        throw new CommandError(`Ply does not answer at ${apiUrl}. Start it with: npm start`);
      }
      const text = await response.text();
      const answer = (text === '' ? {} : JSON.parse(text)) as { [field: string]: unknown };
      if (!response.ok && !expected.includes(response.status)) throw new CommandError(`${method} ${path} was answered ${response.status} ${String(answer['code'])}: ${String(answer['detail'])}`);
      return { status: response.status, body: answer };
    },
  };
}
