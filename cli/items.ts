import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Kind } from '../models/asset.ts';
import { kindOf } from '../models/formats.ts';
import { CommandError, reasonOf } from './connection.ts';
import { filesBelow, type LocalFile, type LocalSource } from './local-source.ts';

/** A file to register, with its name for the operator. */
export interface Item {
  name: string;
  /** Path of a local file; null for an address. */
  path: string | null;
  asset: { externalId: string; filename: string; kind: Kind; sourceUrl: string; sourceVersion: string };
}

/** A target that cannot be registered, with the reason. */
export interface Unusable {
  name: string;
  why: string;
}

/** The result of a target. `skipped`: a file of an unsupported format. */
export type Found = { item: Item } | { unusable: Unusable } | { skipped: string };

/** Maximum length of an `externalId` in code points. */
const externalIdLength = 512;
const answerMs = 20_000;

/** Whether a target is an address rather than a path. */
export function isAddress(target: string): boolean {
  return /^https?:\/\//i.test(target) && URL.canParse(target);
}

/** The paths of local targets, relative to the caller's folder. @throws CommandError if one does not exist */
export async function localPaths(targets: readonly string[], folder: string): Promise<string[]> {
  const paths = targets.filter((target) => !isAddress(target)).map((target) => resolve(folder, target));
  for (const path of paths) {
    await stat(path).catch((error: unknown) => {
      throw new CommandError(`${path} cannot be read: ${reasonOf(error)}`);
    });
  }
  return paths;
}

/** The registration of a local file: identified by its path, with a version from its size and modification time. */
export function itemOfFile(file: LocalFile, kind: Kind): Item {
  const externalId = [...`file:${file.path}`].slice(-externalIdLength).join('');
  return {
    name: file.path,
    path: file.path,
    asset: { externalId, filename: file.filename, kind, sourceUrl: file.url, sourceVersion: file.version },
  };
}

/** The item for a URL, with the ETag of its response as the version. */
async function itemOfAddress(url: string): Promise<Found> {
  const unusable = (why: string): Found => ({ unusable: { name: url, why } });
  try {
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(answerMs) });
    const version = response.headers.get('etag');
    if (!response.ok) return unusable(`it responds with status ${response.status}; use the address of the file itself`);
    if (version === null) return unusable('it has no ETag, which a registration needs');
    const filename = decodeURIComponent(new URL(url).pathname.split('/').pop() ?? '');
    const kind = kindOf(filename);
    if (kind === null) return { skipped: url };
    return {
      item: {
        name: url,
        path: null,
        asset: {
          externalId: [...url].slice(0, externalIdLength).join(''),
          filename,
          kind,
          sourceUrl: url,
          sourceVersion: version,
        },
      },
    };
  } catch (error) {
    return unusable(`it does not respond (${reasonOf(error)})`);
  }
}

/** The items of the targets, one after another. */
export async function* itemsOf(
  addresses: readonly string[],
  paths: readonly string[],
  source: LocalSource,
): AsyncGenerator<Found> {
  for (const address of addresses) yield await itemOfAddress(address);
  for await (const path of filesBelow(paths)) {
    const kind = kindOf(path);
    yield kind === null ? { skipped: path } : await offered(source, path, kind);
  }
}

async function offered(source: LocalSource, path: string, kind: Kind): Promise<Found> {
  try {
    return { item: itemOfFile(await source.offer(path), kind) };
  } catch (error) {
    return { unusable: { name: path, why: reasonOf(error) } };
  }
}
