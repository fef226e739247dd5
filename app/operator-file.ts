import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf } from '../models/error-code.ts';

/** What the operator's command line needs to reach the API of the program in this data folder. */
export interface OperatorFile {
  apiUrl: string;
  organizationId: string;
  key: string;
  /** Port of this machine at which the program delivers files of buckets; absent where it does not. */
  deliveryPort?: number;
}

const fileName = 'operator.json';

/** Stores the API's address and key in the data folder with mode 600. Delete the file to do without it. */
export async function writeOperatorFile(dataFolder: string, content: OperatorFile): Promise<void> {
  const path = join(dataFolder, fileName);
  await mkdir(dataFolder, { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}

/** Reads it; null if there is none. @throws if it is damaged */
export async function readOperatorFile(dataFolder: string): Promise<OperatorFile | null> {
  let text: string;
  try {
    text = await readFile(join(dataFolder, fileName), 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
  const parsed: unknown = JSON.parse(text);
  if (
    typeof parsed === 'object' &&
    parsed !== null &&
    'apiUrl' in parsed &&
    'organizationId' in parsed &&
    'key' in parsed
  ) {
    const { apiUrl, organizationId, key } = parsed;
    const port = 'deliveryPort' in parsed ? parsed.deliveryPort : undefined;
    if (typeof apiUrl === 'string' && typeof organizationId === 'string' && typeof key === 'string')
      return { apiUrl, organizationId, key, ...(typeof port === 'number' ? { deliveryPort: port } : {}) };
  }
  throw new Error(
    `${join(dataFolder, fileName)} is damaged; delete it and set PLY_API_KEY and PLY_ORGANIZATION_ID instead`,
  );
}
