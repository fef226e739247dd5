import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './paths.mjs';

const source = join(projectRoot, 'web');
/** Where the gateway reads the built dashboard (services/gateway/dashboard-files.ts). */
const built = join(source, 'dist');
/** Names the sources that a build was made of. */
const noteName = '.built-from';

/** What the build does not read: its own output, tests, and types. */
const isSource = (path) => !/(^|[/\\])dist(-\d+)?([/\\]|$)|\.test\.tsx?$|\.d\.ts$/.test(path);

/** Digest of everything that the built dashboard depends on. */
function digestOfSources() {
  const digest = createHash('sha256');
  const files = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => isSource(relative(source, path)))
    .sort();
  for (const path of [...files, join(projectRoot, 'package-lock.json')])
    digest
      .update(`${relative(projectRoot, path)}\0`)
      .update(readFileSync(path))
      .update('\0');
  return digest.digest('hex');
}

/** Whether the built dashboard is that of these sources. */
function isCurrent(digest) {
  const note = join(built, noteName);
  return existsSync(note) && readFileSync(note, 'utf8') === digest;
}

/** Writes each text beside itself in the two encodings that browsers accept, where that saves something. */
function compress(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(html|js|mjs|css|svg|json)$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    const options = { params: { [constants.BROTLI_PARAM_QUALITY]: bytes.length > 500_000 ? 9 : 11 } };
    writeFileSync(`${path}.br`, brotliCompressSync(bytes, options));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

/** Builds the dashboard beside the old one, which is replaced when the new one is whole. */
export async function buildDashboard() {
  const digest = digestOfSources();
  const { build } = await import('vite');
  const folder = `${built}-${process.pid}`;
  try {
    await build({ root: source, configFile: join(source, 'vite.config.ts'), build: { outDir: folder } });
    compress(folder);
    writeFileSync(join(folder, noteName), digest);
    rmSync(built, { recursive: true, force: true });
    renameSync(folder, built);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Builds the dashboard unless the built one is of the same sources. Without it the program serves its API all the same,
 * so a failure is reported and does not stop the set-up.
 * @param {(args: string[]) => number | null} runNode runs Node 24 and returns its exit code
 */
export function ensureDashboard(runNode) {
  if (!existsSync(join(source, 'index.html')) || isCurrent(digestOfSources())) return;
  console.error('ply: building the dashboard ...');
  if (runNode([join(projectRoot, 'scripts/setup/ensure-dashboard.mjs')]) === 0) return;
  console.error('ply: going on without the dashboard; the API is served all the same.');
  console.error('  To fix it: npm ci && node scripts/setup/ensure-dashboard.mjs');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await buildDashboard();
