import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { askProgram } from '../house/operator-socket.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { jobErrorCodes } from '../models/errors.ts';
import { formatOf } from '../models/formats.ts';
import { CommandError, connect, type Connection } from './connection.ts';
import { filesBelow, openLocalSource, type LocalFile, type LocalSource } from './local-source.ts';
import { ProgressBar } from './progress.ts';

const batchSize = 50;
const trustEveryMs = 2000;

/** What became of the files, by number. */
interface Tally {
  accepted: { jobId: string; name: string }[];
  unchanged: number;
  skipped: number;
  refused: { name: string; why: string }[];
}

interface Item {
  name: string;
  asset: { externalId: string; filename: string; kind: 'document'; sourceUrl: string; sourceVersion: string };
}

function itemOf(file: LocalFile): Item {
  return { name: file.path, asset: { externalId: `file:${file.path}`.slice(0, 512), filename: file.filename, kind: 'document', sourceUrl: file.url, sourceVersion: file.version } };
}

async function itemOfUrl(url: string): Promise<Item> {
  const response = await fetch(url, { method: 'HEAD', redirect: 'manual' });
  const version = response.headers.get('etag');
  if (version === null) throw new CommandError(`${url} has no ETag (status ${response.status}); a source is registered with the version that it tells`);
  const filename = decodeURIComponent(new URL(url).pathname.split('/').pop() ?? '');
  return { name: url, asset: { externalId: url.slice(0, 512), filename, kind: 'document', sourceUrl: url, sourceVersion: version } };
}

async function* itemsOf(targets: readonly string[], source: LocalSource, tally: Tally): AsyncGenerator<Item> {
  for (const url of targets.filter((target) => URL.canParse(target) && /^https?:/.test(target))) yield itemOfUrl(url);
  for await (const path of filesBelow(targets.filter((target) => !/^https?:/.test(target)))) {
    if (formatOf(path, 'document') === null) tally.skipped++;
    else yield itemOf(await source.offer(path));
  }
}

async function registerBatch(connection: Connection, items: readonly Item[], tally: Tally): Promise<void> {
  const { body } = await connection.ask('POST', '/imports', { assets: items.map((item) => item.asset) });
  const results = body['results'] as { jobId?: string; code?: string; detail?: string }[];
  results.forEach((result, place) => {
    const name = items[place]?.name ?? '';
    if (result.jobId !== undefined) tally.accepted.push({ jobId: result.jobId, name });
    else if (result.code === 'source_version_already_registered') tally.unchanged++;
    else tally.refused.push({ name, why: `${result.code}: ${result.detail}` });
  });
}

async function waitForJobs(connection: Connection, jobs: Tally['accepted'], bar: ProgressBar): Promise<Map<string, string[]>> {
  const ended = new Map<string, string[]>();
  let waiting = [...jobs];
  while (waiting.length > 0) {
    const still: Tally['accepted'] = [];
    let working = '';
    for (const job of waiting) {
      const { body } = await connection.ask('GET', `/jobs/${job.jobId}`);
      const state = String(body['state']);
      if (['ready', 'failed', 'cancelled', 'awaiting_source_access'].includes(state)) {
        const key = state === 'ready' ? 'ready' : String(body['errorCode'] ?? state);
        ended.set(key, [...(ended.get(key) ?? []), job.name]);
      } else {
        still.push(job);
        if (state === 'extracting' || state === 'embedding') working = `${state} ${job.name}`;
      }
      bar.show(jobs.length - waiting.length + ended.size, jobs.length, working);
    }
    waiting = still;
    bar.show(jobs.length - waiting.length, jobs.length, working);
    if (waiting.length > 0) await pause(200);
  }
  bar.clear();
  return ended;
}

function summary(tally: Tally, ended: ReadonlyMap<string, string[]>, seconds: number): string {
  const lines = [`${ended.get('ready')?.length ?? 0} files indexed in ${seconds.toFixed(1)} s; ${tally.unchanged} unchanged, ${tally.skipped} of other formats skipped.`];
  for (const [code, names] of ended) {
    if (code === 'ready') continue;
    const meaning = Object.hasOwn(jobErrorCodes, code) ? jobErrorCodes[code as keyof typeof jobErrorCodes] : '';
    lines.push(`${names.length} ${code}: ${meaning}`, ...names.slice(0, 5).map((name) => `    ${name}`), ...(names.length > 5 ? [`    and ${names.length - 5} more`] : []));
  }
  for (const { name, why } of tally.refused.slice(0, 10)) lines.push(`refused ${name}: ${why}`);
  return lines.join('\n');
}

/** `ply add <folder|file|URL>...`: indexes local files through a temporary source on this machine, and addresses as they are. */
export async function add(configuration: Configuration, targets: readonly string[]): Promise<string> {
  if (targets.length === 0) throw new CommandError('Say what to index: npm run ply -- add <folder|file|URL>...');
  const connection = await connect(configuration);
  const source = await openLocalSource();
  const bar = new ProgressBar(process.stderr);
  const begun = performance.now();
  const trust = async (): Promise<void> => {
    await askProgram(resolve(configuration.PLY_DATA_DIR), { do: 'sources.trust', origin: source.origin, milliseconds: trustEveryMs * 5 });
  };
  await trust();
  const trusting = setInterval(() => {
    trust().catch((error: unknown) => console.error(`the program does not take the temporary source: ${String(error)}`));
  }, trustEveryMs);
  try {
    const tally: Tally = { accepted: [], unchanged: 0, skipped: 0, refused: [] };
    let batch: Item[] = [];
    for await (const item of itemsOf(targets, source, tally)) {
      batch.push(item);
      if (batch.length === batchSize) {
        await registerBatch(connection, batch, tally);
        batch = [];
      }
    }
    if (batch.length > 0) await registerBatch(connection, batch, tally);
    const ended = await waitForJobs(connection, tally.accepted, bar);
    return summary(tally, ended, (performance.now() - begun) / 1000);
  } finally {
    clearInterval(trusting);
    await source.close();
  }
}
