import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../setup/paths.mjs';
import type { Case, Part } from './judge.ts';

/** Parts of a suite that were run, by `<number>/<of>`. */
type Parts = { [part: string]: Case[] };

/** Parses `<number>/<of>`. @throws Error if it is none */
export function readPart(text: string): Part {
  const [, number = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (number < 1 || number > of) throw new Error(`a part is <number>/<of>, such as 1/3, not ${text}`);
  return { number, of };
}

/**
 * Keeps the cases of a part. When all parts of the suite have been run, forgets them.
 * @param path of the file that keeps them
 * @returns the cases of all parts, in their order; null while some are missing
 */
export function joinParts(path: string, { number, of }: Part, cases: Case[]): Case[] | null {
  // Only this function writes it.
  const kept: Parts = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Parts) : {};
  kept[`${number}/${of}`] = cases;
  const all = Array.from({ length: of }, (_, at) => kept[`${at + 1}/${of}`]);
  if (all.every((each) => each !== undefined)) {
    rmSync(path, { force: true });
    return all.flat();
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(kept));
  return null;
}

/** The file that keeps parts of a suite. */
export function partsFile(suite: string): string {
  return join(cacheFolder, 'judge', `${suite}.json`);
}
