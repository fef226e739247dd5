import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeChart, readChartSource, writeChart } from './make-chart.ts';
import { release, ReleaseError } from './release/release.ts';
import { projectRoot } from './setup/paths.mjs';
import { runProgram } from './setup/system.ts';

/**
 * `npm run release -- <major|minor|patch|version>`: raises the version everywhere, writes the changelog, commits, tags, and
 * puts the list of packages (SBOM) and the Helm chart into `dist`. `ply_build_info` reports the version from package.json.
 */
async function run([wanted]: readonly string[]): Promise<void> {
  if (wanted === undefined) throw new ReleaseError('Usage: npm run release -- <major|minor|patch|version>');
  const { version, tag, changes } = await release(projectRoot, wanted, new Date().toISOString().slice(0, 10));
  console.log(`Version ${version}: ${changes.length} changes, tag ${tag}.`);
  const dist = join(projectRoot, 'dist');
  mkdirSync(dist, { recursive: true });
  const packages = await runProgram(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'],
    {
      folder: projectRoot,
    },
  );
  if (packages.ok) {
    writeFileSync(join(dist, `ply-${version}.sbom.json`), packages.output);
    console.log(`dist/ply-${version}.sbom.json lists the packages (CycloneDX).`);
  } else console.log(`npm could not list the packages: ${packages.reason}`);
  try {
    writeChart(makeChart(await readChartSource(['kubectl', 'kustomize'])), join(dist, `ply-${version}`));
    console.log(`dist/ply-${version} is the Helm chart.`);
  } catch (error) {
    console.log(`The chart was not made: ${error instanceof Error ? error.message : String(error)}`);
  }
  console.log(`Next: git push --follow-tags; docker build --tag registry.example/ply:${version} .`);
}

try {
  await run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ReleaseError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
