import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteRecords } from '../adapters/records/sqlite/records.ts';
import { collections } from '../app/collections.ts';
import { systemRuntime } from '../models/runtime.ts';
import { assets as assetsDefinition } from '../models/asset.ts';
import { systemScope } from '../models/scope.ts';
import type { Figure, Part } from './figures.ts';
import { startProgram, type BenchProgram } from './program.ts';
import { readyAsset } from './search-library.ts';
import { median, ratio } from './statistics.ts';

const minRequests = 300;
const minAssets = 1500;
const maxSlowdown = 1.3;
const clients = 8;
const perImport = 100;
const sizes = { small: 1000, large: 100_000 } as const;

/** Writes assets of one organization into the records of a data folder. */
async function writeAssets(folder: string, organizationId: string, count: number): Promise<void> {
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare(collections);
    const assets = records.collection(assetsDefinition, systemScope);
    for (let at = 0; at < count; at += 1000)
      await assets.insertNew(
        Array.from({ length: Math.min(1000, count - at) }, (_, index) => readyAsset(organizationId, at + index, [])),
      );
  } finally {
    await records.close();
  }
}

/**
 * Durable transactions per second of a bare SQLite file: each inserts one document of an asset's size and is flushed.
 */
function bareInserts(folder: string, count: number): number {
  const database = new DatabaseSync(join(folder, `bare-${randomUUID()}.db`));
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table documents (id text primary key, doc text)',
  );
  const insert = database.prepare('insert into documents values (?, ?)');
  const doc = JSON.stringify(readyAsset(randomUUID(), 1, []));
  const began = performance.now();
  for (let index = 0; index < count; index++) insert.run(randomUUID(), doc);
  const rate = count / ((performance.now() - began) / 1000);
  database.close();
  return rate;
}

function fileOf(name: string): object {
  return {
    externalId: name,
    sourceUrl: `https://files.example.com/${name}.txt`,
    sourceVersion: '"1"',
    filename: `${name}.txt`,
    kind: 'document',
    language: 'en',
    metadata: { department: 'sales' },
  };
}

async function register(program: BenchProgram, count: number): Promise<number> {
  const http = program.clients(clients);
  const { seconds } = await http.run(count, () => ({
    method: 'POST',
    path: '/api/content/v1/assets',
    body: JSON.stringify(fileOf(randomUUID())),
  }));
  await http.close();
  return count / seconds;
}

async function imports(program: BenchProgram, count: number): Promise<number> {
  const http = program.clients(2);
  const { seconds } = await http.run(count / perImport, () => ({
    method: 'POST',
    path: '/api/content/v1/imports',
    body: JSON.stringify({ assets: Array.from({ length: perImport }, () => fileOf(randomUUID())) }),
  }));
  await http.close();
  return count / seconds;
}

function figuresOf(
  name: string,
  unit: string,
  least: number,
  small: readonly number[],
  large: readonly number[],
  bare: number,
): Figure[] {
  const [few, many] = [median(small), median(large)];
  return [
    {
      name,
      measured: `${few.toFixed(0)} ${unit}`,
      against: `bare SQLite, one flushed insert after the other: ${bare.toFixed(0)} a second (${ratio(few / bare)})`,
      target: `at least ${least} ${unit}`,
      reached: few >= least,
    },
    {
      name: `${name}, at ${sizes.large.toLocaleString('en')} assets`,
      measured: `${many.toFixed(0)} ${unit}: ${ratio(few / many)} slower`,
      against: `at ${sizes.small.toLocaleString('en')} assets: ${few.toFixed(0)}`,
      target: `at most ${maxSlowdown}x slower`,
      reached: few / many <= maxSlowdown,
    },
  ];
}

/**
 * Registrations per second in a small and a large library; nothing is read meanwhile, and every response is durable.
 */
export const part: Part = async ({ full }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-registration-'));
  const environment = { PLY_ROLES: 'gateway,accounts,registrar,ledger' };
  const started: BenchProgram[] = [];
  try {
    for (const size of Object.values(sizes)) {
      const organizationId = randomUUID();
      const data = join(folder, String(size));
      await writeAssets(data, organizationId, size);
      started.push(await startProgram({ folder: data, organizationId, environment }));
    }
    const [small, large] = started;
    if (small === undefined || large === undefined) throw new Error('two programs were started');
    const seen = {
      small: { posts: [] as number[], imports: [] as number[] },
      large: { posts: [] as number[], imports: [] as number[] },
    };
    const bare: number[] = [];
    for (const program of started) await register(program, 500);
    for (let turn = 0; turn < (full ? 7 : 5); turn++) {
      bare.push(bareInserts(folder, 300));
      for (const [program, side] of [
        [small, seen.small],
        [large, seen.large],
      ] as const) {
        side.posts.push(await register(program, 300));
        side.imports.push(await imports(program, 1000));
      }
    }
    return [
      ...figuresOf('POST /assets', 'requests/s', minRequests, seen.small.posts, seen.large.posts, median(bare)),
      ...figuresOf('POST /imports of 100', 'assets/s', minAssets, seen.small.imports, seen.large.imports, median(bare)),
    ];
  } finally {
    await Promise.all(started.map((program) => program.stop()));
    await rm(folder, { recursive: true, force: true });
  }
};
