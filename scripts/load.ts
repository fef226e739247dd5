import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiClient } from './chaos/client.ts';
import { makeDoorKeys } from './load/door-keys.ts';
import { fill, waitUntilIdle } from './load/fill.ts';
import { bytesOf, openInstallation, passagesOf, type Installation } from './load/installation.ts';
import { k6, runScript, type ScriptName } from './load/k6.ts';
import { readOptions, usage, type LoadOptions } from './load/options.ts';
import {
  between,
  filling,
  storeSection,
  pageFile,
  readResults,
  resultsText,
  whereNow,
  type Section,
} from './load/results.ts';
import { cpuPerSearch, iterationsPerSecond, rowsOf, tableOf, type Row } from './load/rows.ts';
import { modelText, sizingText } from './load/sizing.ts';
import { startSourceServer, type SourceServer } from './load/source-server.ts';
import { storeFiles } from './load/stored-files.ts';
import { watch } from './load/watch.ts';
import { projectRoot } from './setup/paths.mjs';

/*
 * `npm run load`: fills an installation, runs the scripts of load-tests/ on it, and writes the results into
 * docs/capacity.md.
 */

/** Regenerates the tables of docs/capacity.md from stored results. */
function writePage(): void {
  const results = readResults();
  const bench = readFileSync(join(projectRoot, 'bench/results.md'), 'utf8');
  const texts = { results: resultsText(results), model: modelText(bench, results), sizing: sizingText(bench, results) };
  writeFileSync(
    pageFile,
    Object.entries(texts).reduce((page, [name, text]) => between(page, name, text), readFileSync(pageFile, 'utf8')),
  );
}

/** Prints the results of a part, and stores them unless the run was a short one. */
function log(part: string, section: Section, options: LoadOptions): Row[] {
  console.log(`\n## ${part}\n\n${tableOf(section.rows)}`);
  // Only what every machine can repeat in twenty minutes stands on the page.
  if (!options.short && !options.cluster && options.soakSeconds === null) storeSection(part, section, options);
  return section.rows;
}

async function measureFilling(
  installation: Installation,
  source: SourceServer,
  options: LoadOptions,
  signal: AbortSignal,
): Promise<Section> {
  const { own } = installation;
  const bytesBefore = own === null ? 0 : bytesOf(own.folder);
  const watched = own === null ? null : watch(own.pid);
  const { files, seconds } = await fill(installation, source.url, options.passages, signal);
  const used = watched?.end();
  const rows: Row[] = [
    {
      name: 'files of 2,000 words, from the first registration to the last ready file',
      measured: `${files} in ${seconds.toFixed(0)} s: ${(files / seconds).toFixed(1)} files/s`,
      bound: '',
      met: null,
    },
  ];
  const figures: Section['figures'] = {};
  if (own !== null && used !== undefined) {
    const passages = passagesOf(own.folder);
    Object.assign(figures, {
      passages,
      memory: used.memory.max,
      bytesPerPassage: (bytesOf(own.folder) - bytesBefore) / passages,
    });
    rows.push(
      {
        name: 'passages',
        measured: `${passages}: ${(passages / seconds).toFixed(1)} per second, ${((used.cpu * 1000) / passages).toFixed(1)} ms of CPU time each`,
        bound: '',
        met: null,
      },
      {
        name: 'data folder',
        measured: `${((figures['bytesPerPassage'] ?? 0) / 1000).toFixed(1)} kB per passage`,
        bound: '',
        met: null,
      },
      {
        name: 'maximum memory of the program',
        measured: `${used.memory.max.toFixed(0)} MB`,
        bound: '',
        met: null,
      },
    );
  }
  return { where: whereNow(installation, options), rows, figures };
}

async function measureScript(
  path: string,
  name: ScriptName,
  installation: Installation,
  source: SourceServer,
  options: LoadOptions,
  signal: AbortSignal,
  capacity: number,
): Promise<Section> {
  const { url, key, organizationId, neighbourId, edge, doors, own } = installation;
  const files = name === 'delivery' && edge !== null ? await storeFiles(edge) : {};
  const keys = name === 'doors' && doors !== null ? await makeDoorKeys(doors) : {};
  const watched = own === null ? null : watch(own.pid);
  const environment = {
    ...files,
    ...keys,
    API_URL: url,
    API_KEY: key,
    ORGANIZATION_ID: organizationId,
    NEIGHBOUR_ID: neighbourId ?? '',
    SOURCE_URL: source.url,
    SHORT: options.short ? '1' : '0',
    CAPACITY: String(capacity),
    SECONDS: String(options.soakSeconds ?? ''),
  };
  const summary = await runScript(path, { name, environment, signal, onStart: (pid) => watched?.beside(pid) });
  const used = watched?.end() ?? null;
  const figures: Section['figures'] = {};
  if (used !== null) figures['memory'] = used.memory.max;
  if (name === 'search-mix') figures['searchesPerSecond'] = iterationsPerSecond(summary);
  if (used !== null && name === 'search-mix') figures['cpuPerSearch'] = cpuPerSearch(summary, used);
  return { where: whereNow(installation, options), rows: rowsOf(name, summary, used, options.short), figures };
}

/** Runs the scripts. Returns the number of missed bounds. */
async function measure(path: string, options: LoadOptions, signal: AbortSignal): Promise<number> {
  const source = await startSourceServer(options.sourceHost);
  let installation: Installation | null = null;
  const rows: Row[] = [];
  try {
    installation = await openInstallation(options, process.env);
    console.log(`${installation.description}. Filling it with about ${options.passages} passages ...`);
    rows.push(...log(filling, await measureFilling(installation, source, options, signal), options));
    const target = installation;
    const client = new ApiClient(installation.url, installation.organizationId, installation.key);
    let capacity = 0;
    for (const name of options.scripts) {
      const run = (script: ScriptName, how: LoadOptions): Promise<Section> =>
        measureScript(path, script, target, source, how, signal, capacity);
      if (name === 'noisy-neighbour' && installation.neighbourId === null) {
        console.log(`\nSKIPPED: ${name} needs a second organization of the account: --neighbour <its id>`);
        continue;
      }
      if ((name === 'delivery' && installation.edge === null) || (name === 'doors' && installation.doors === null)) {
        console.log(`\nSKIPPED: ${name} creates buckets, which it does only in a program that this run starts`);
        continue;
      }
      console.log(`\nRunning load-tests/${name}.js ...`);
      if (name === 'overload' && capacity === 0)
        capacity = (await run('search-mix', { ...options, short: true })).figures['searchesPerSecond'] ?? 0;
      const section = await run(name, options);
      capacity = section.figures['searchesPerSecond'] ?? capacity;
      rows.push(...log(name, section, options));
      await waitUntilIdle(client, signal);
    }
  } finally {
    source.stop();
    await installation?.stop();
  }
  if (!options.short && !options.cluster) writePage();
  return rows.filter(({ met }) => met === false).length;
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(usage);
    return 0;
  }
  if (options.page) {
    writePage();
    return 0;
  }
  const tool = await k6();
  if ('unavailable' in tool) {
    console.error(tool.unavailable);
    return 2;
  }
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  const missed = await measure(tool.path, options, controller.signal);
  console.log(missed === 0 ? '\nEvery bound was met.' : `\n${missed} bounds were missed.`);
  return missed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`ply: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
