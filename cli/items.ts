import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Kind } from '../models/asset.ts';
import { kindOf } from '../models/formats.ts';
import { CommandError, reasonOf } from './connection.ts';
import { filesBelow, type LocalFile, type LocalSource } from './local-source.ts';

/** A file to register, and what the operator calls it. */
export interface Item {
  name: string;
  /** Path of a local file; null for an address. */
  path: string | null;
  asset: { externalId: string; filename: string; kind: Kind; sourceUrl: string; sourceVersion: string };
}

/** A target that cannot be registered, and why. */
export interface Unusable {
  name: string;
  why: string;
}

/** What a target came to. `skipped`: a file of a format that is not read. */
export type Found = { item: Item } | { unusable: Unusable } | { skipped: string };

/** Longest `externalId` of the API, in code points. */
const externalIdLength = 512;
const answerMs = 20_000;

/** Whether a target is an address rather than a path. */
export function isAddress(target: string): boolean {
  return /^https?:\/\//i.test(target) && URL.canParse(target);
}

/**
 * The paths of local targets, from the folder that the command was given in. @throws CommandError where one does not
 * exist
 */
export async function localPaths(targets: readonly string[], folder: string): Promise<string[]> {
  const paths = targets.filter((target) => !isAddress(target)).map((target) => resolve(folder, target));
  for (const path of paths) {
    await stat(path).catch((error: unknown) => {
      throw new CommandError(`${path} cannot be read: ${reasonOf(error)}`);
    });
  }
  return paths;
}

/** What a local file is registered as: known again by its path, and as changed by its size and time of change. */
export function itemOfFile(file: LocalFile, kind: Kind): Item {
  const externalId = [...`file:${file.path}`].slice(-externalIdLength).join('');
  return {
    name: file.path,
    path: file.path,
    asset: { externalId, filename: file.filename, kind, sourceUrl: file.url, sourceVersion: file.version },
  };
}

/** The item for a URL, with the ETag of its response, which the bytes are later checked against. */
async function itemOfAddress(url: string): Promise<Found> {
  const unusable = (why: string): Found => ({ unusable: { name: url, why } });
  try {
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(answerMs) });
    const version = response.headers.get('etag');
    if (!response.ok) return unusable(`it answers with status ${response.status}; give the address of the file itself`);
    if (version === null) return unusable('it has no ETag, which a file is registered with');
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
    return unusable(`it does not answer (${reasonOf(error)})`);
  }
}

/** Everything that the targets come to, one after the other. */
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
