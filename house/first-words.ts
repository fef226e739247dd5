import { resolve } from 'node:path';
import { readConfiguration, type Configuration } from '../models/configuration/configuration.ts';
import type { Program } from './program.ts';

/** What the program says when it is ready: what runs where, and what to try next. */
export function firstWords(program: Program, startMs: number): string {
  const { configuration, apiUrl, metricsUrl, firstStart, house, parts } = program;
  const lines = [`\nPly is ready (${(startMs / 1000).toFixed(1)} s): ${configuration.PLY_ROLES.join(', ')}`];
  if (apiUrl !== null) {
    lines.push(`  API         ${apiUrl}/api/content/v1`, `  reference   ${apiUrl}/docs`, `  health      ${apiUrl}/health/ready`);
  }
  lines.push(`  metrics     ${metricsUrl}/metrics`, `  data        ${resolve(configuration.PLY_DATA_DIR)}`);
  for (const [name, part] of Object.entries(parts)) if (part.state !== 'up') lines.push(`  ${name.padEnd(11)} ${name === 'embeddings' ? '' : `${part.state}: `}${part.detail ?? ''}`);
  if (house.embeddings.model === null) lines.push('  Search goes by words alone until a model is there: npm run ply -- doctor says how.');
  if (configuration.PLY_PRIVATE_NETWORKS === 'allow') lines.push('  WARNING     PLY_PRIVATE_NETWORKS=allow: sources may use http and private addresses. For one machine and tests only.');
  if (apiUrl !== null) lines.push(...(firstStart === null ? nextSteps(configuration) : [...keys(firstStart), ...firstSteps(firstStart, apiUrl, configuration)]));
  return lines.join('\n');
}

/** At later starts the keys are known to whoever kept them. */
function nextSteps(configuration: Configuration): string[] {
  return ['', 'In another terminal, in this folder:', ...sameFolder(configuration), '  npm run ply -- add <folder>', '  npm run ply -- search "<words>"', '', 'Ctrl-C stops.'];
}

/** The command line finds the program by its data folder: one that is not the usual one has to be named in the other terminal too. */
function sameFolder({ PLY_DATA_DIR }: Configuration): string[] {
  const folder = resolve(PLY_DATA_DIR);
  return folder === resolve(readConfiguration({}).PLY_DATA_DIR) ? [] : [`  export PLY_DATA_DIR='${folder.replaceAll("'", String.raw`'\''`)}'`];
}

function keys(first: NonNullable<Program['firstStart']>): string[] {
  return [
    '',
    'This is the first start: it made an account with an organization and two keys. They are shown this once; keep them:',
    `  organization  ${first.organizationId}`,
    `  admin key     ${first.adminKey}`,
    `  standard key  ${first.standardKey}`,
  ];
}

/** Commands that work as they stand, on Ply's own documents, which are there at every first start. */
function firstSteps(first: NonNullable<Program['firstStart']>, apiUrl: string, configuration: Configuration): string[] {
  const headers = `-H 'Authorization: ApiKey ${first.standardKey}' -H 'X-Organization-Id: ${first.organizationId}'`;
  const base = `${apiUrl}/api/content/v1`;
  return [
    '',
    'Try in another terminal, in this folder:',
    ...sameFolder(configuration),
    '  1. See which files it reads:',
    `  curl ${base}/capabilities ${headers}`,
    "  2. Index a folder, for a start Ply's own documents, and see how the jobs ended:",
    '  npm run ply -- add docs',
    `  curl ${base}/activity ${headers}`,
    '  3. Find a passage:',
    `  curl ${base}/search ${headers} -H 'Content-Type: application/json' -d '{"query":"a lease that ran out"}'`,
    '  npm run ply -- search "a lease that ran out"',
    '',
    'npm run ply lists the other commands. Ctrl-C stops.',
  ];
}
