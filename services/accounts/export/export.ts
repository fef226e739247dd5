import type { Blobs } from '../../../adapters/blobs/port.ts';
import { isoTime } from '../../../models/runtime.ts';
import { ownedCollections } from '../../../models/owned-collections.ts';
import { usageEvents } from '../../../models/usage-event.ts';
import { accountOf } from '../account.ts';
import type { AccountsContext } from '../collections.ts';
import { accountContents, assetsOf, organizationContents, organizationsOf } from './contents.ts';
import { ExportFolder, type ExportedFile } from './folder.ts';

/** The result of an export, which is also written as `manifest.json`. */
export interface ExportManifest {
  accountId: string;
  exportedAt: string;
  /** Lines by file name, summed over all organizations. */
  counts: { [name: string]: number };
  /**
   * Number of files with text derived from the account's assets.
   */
  texts: number;
  list: ExportedFile;
}

/**
 * Exports all data of an account into an empty folder: JSON lines, derived texts as they are stored, and a manifest
 * with counts and SHA-256. Secrets, keys and their hashes are left out. The program may run during an export; it reads
 * page by page, so each document is in its state when its page was read.
 * @param folder absolute path
 * @throws Error if the folder is not empty or the account does not exist; errors of the stores
 */
export async function exportAccount(
  app: AccountsContext & { blobs: Blobs },
  { folder: path, account: named }: { folder: string; account?: string },
): Promise<ExportManifest> {
  const { records, blobs, runtime } = app;
  const account = await accountOf(app, named);
  await records.prepare([...ownedCollections, usageEvents]);
  const folder = await ExportFolder.make(path);
  const exportedAt = isoTime(runtime.now());
  const counts: { [name: string]: number } = {};
  let texts = 0;

  async function* everything(): AsyncGenerator<ExportedFile> {
    const { _id, ...rest } = account;
    yield await folder.lines('account.jsonl', one({ accountId: _id, ...rest, createdAt: isoTime(account.createdAt) }));
    yield* contents('', accountContents(records, _id));
    for await (const organization of organizationsOf(records, _id)) {
      const under = `organizations/${organization._id}/`;
      yield* contents(under, organizationContents(records, organization._id));
      for await (const asset of assetsOf(records, organization._id)) {
        const derived = `derived/${organization._id}/${asset._id}/`;
        for await (const { key } of blobs.list(derived)) {
          const text = await folder
            .bytes(`${under}texts/${asset._id}/${key.slice(derived.length)}`, blobs.read(key))
            .catch(unlessGone);
          if (text === null) continue;
          texts += 1;
          yield text;
        }
      }
    }
  }

  async function* contents(
    under: string,
    files: { [name: string]: AsyncGenerator<object> },
  ): AsyncGenerator<ExportedFile> {
    for (const [name, values] of Object.entries(files)) {
      const { lines, ...file } = await folder.lines(`${under}${name}.jsonl`, values);
      counts[name] = (counts[name] ?? 0) + lines;
      yield file;
    }
  }

  const { lines: _lines, ...list } = await folder.lines('files.jsonl', everything());
  const manifest: ExportManifest = { accountId: account._id, exportedAt, counts, texts, list };
  await folder.lines('manifest.json', one(manifest));
  return manifest;
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** Skips a text that was replaced or removed between listing and reading. */
function unlessGone(error: unknown): null {
  if (error instanceof Error && error.name === 'BlobNotFound') return null;
  throw error;
}
