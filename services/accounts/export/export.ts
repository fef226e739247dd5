import type { Blobs } from '../../../adapters/blobs/port.ts';
import { isoTime } from '../../../models/ambient.ts';
import { ownedCollections } from '../../../models/owned-collections.ts';
import { usageEvents } from '../../../models/usage-event.ts';
import { accountOf } from '../account.ts';
import type { AccountsHouse } from '../tools.ts';
import { accountContents, assetsOf, organizationContents, organizationsOf } from './contents.ts';
import { ExportFolder, type ExportedFile } from './folder.ts';

/** What an export came to; the same stands in its `manifest.json`. */
export interface ExportManifest {
  accountId: string;
  exportedAt: string;
  /** Lines of all files of a name together. */
  counts: { [name: string]: number };
  /** Files of text that was derived from the account's files; `files.jsonl` lists every file of the export with its SHA-256. */
  texts: number;
  list: ExportedFile;
}

/**
 * Writes everything that is kept of an account into an empty folder, readable: JSON lines, texts as they are stored, and a
 * manifest with counts and SHA-256. Secrets, keys and their hashes are not among it. It is written as it is read, page by
 * page, while the program works: each document is as it was when its page was read.
 * @param folder absolute path
 * @throws Error where the folder holds something already, or there is no such account; what the stores throw
 */
export async function exportAccount(house: AccountsHouse & { blobs: Blobs }, { folder: path, account: named }: { folder: string; account?: string }): Promise<ExportManifest> {
  const { records, blobs, ambient } = house;
  const account = await accountOf(house, named);
  await records.prepare([...ownedCollections, usageEvents]);
  const folder = await ExportFolder.make(path);
  const exportedAt = isoTime(ambient.now());
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
          const text = await folder.bytes(`${under}texts/${asset._id}/${key.slice(derived.length)}`, blobs.read(key)).catch(unlessGone);
          if (text === null) continue;
          texts += 1;
          yield text;
        }
      }
    }
  }

  async function* contents(under: string, files: { [name: string]: AsyncGenerator<object> }): AsyncGenerator<ExportedFile> {
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

/** A text that was replaced or removed between listing and reading is not of the account any more. */
function unlessGone(error: unknown): null {
  if (error instanceof Error && error.name === 'BlobNotFound') return null;
  throw error;
}
