import { resolve } from 'node:path';
import { readConfiguration, type Configuration } from '../models/configuration/configuration.ts';
import { isDashboardBuilt } from '../services/gateway/dashboard-files.ts';
import type { Program } from './program.ts';

/** The text printed when the program is ready: addresses, keys of the first start, and commands to try. */
export function startupBanner(program: Program, startMs: number): string {
  const { configuration, apiUrl, metricsUrl, firstStart, app, parts } = program;
  const lines = [`\nPly is ready (${(startMs / 1000).toFixed(1)} s): ${configuration.PLY_ROLES.join(', ')}`];
  if (apiUrl !== null) {
    lines.push(
      ...(isDashboardBuilt() ? [`  dashboard   ${apiUrl}/`] : []),
      `  API         ${apiUrl}/api/content/v1`,
      `  reference   ${apiUrl}/docs`,
      `  health      ${apiUrl}/health/ready`,
    );
  }
  for (const { name } of app.listeners.all)
    if (name !== 'api' && name !== 'metrics') lines.push(`  ${name.padEnd(11)} ${app.listeners.url(name) ?? ''}`);
  lines.push(`  metrics     ${metricsUrl}/metrics`, `  data        ${resolve(configuration.PLY_DATA_DIR)}`);
  for (const [name, part] of Object.entries(parts))
    if (part.state !== 'up')
      lines.push(`  ${name.padEnd(11)} ${name === 'embeddings' ? '' : `${part.state}: `}${part.detail ?? ''}`);
  if (app.embeddings.model === null)
    lines.push('  Search uses words only until the model is installed: npm run ply -- doctor shows how.');
  else if (app.embeddings.absence !== null) lines.push(`  embeddings  ${app.embeddings.absence}`);
  if (configuration.PLY_PRIVATE_NETWORKS === 'allow')
    lines.push(
      '  WARNING     PLY_PRIVATE_NETWORKS=allow: sources may use http and private addresses. Only for a single machine and tests.',
    );
  if (apiUrl !== null)
    lines.push(
      ...(firstStart === null
        ? nextSteps(configuration)
        : [...keys(firstStart), ...firstSteps(firstStart, apiUrl, configuration)]),
    );
  return lines.join('\n');
}

/** Later starts do not show the keys again. */
function nextSteps(configuration: Configuration): string[] {
  return [
    '',
    'In another terminal, in this folder:',
    ...sameFolder(configuration),
    '  npm run ply -- add <folder>',
    '  npm run ply -- search "<words>"',
    '',
    'Ctrl-C stops.',
  ];
}

/**
 * The command line finds the program by its data folder, so a folder other than the default must be set in the other
 * terminal too.
 */
function sameFolder({ PLY_DATA_DIR }: Configuration): string[] {
  const folder = resolve(PLY_DATA_DIR);
  return folder === resolve(readConfiguration({}).PLY_DATA_DIR)
    ? []
    : [`  export PLY_DATA_DIR='${folder.replaceAll("'", String.raw`'\''`)}'`];
}

function keys(first: NonNullable<Program['firstStart']>): string[] {
  return [
    '',
    'First start: created an account with an organization, two keys and a user of the dashboard. Keys and password are shown\nonly once; store them safely:',
    `  organization  ${first.organizationId}`,
    `  admin key     ${first.adminKey}`,
    `  standard key  ${first.standardKey}`,
    `  e-mail        ${first.email}`,
    `  password      ${first.password}`,
  ];
}

/** Commands to copy and run on Ply's own documents, which every installation has. */
function firstSteps(first: NonNullable<Program['firstStart']>, apiUrl: string, configuration: Configuration): string[] {
  const headers = `-H 'Authorization: ApiKey ${first.standardKey}' -H 'X-Organization-Id: ${first.organizationId}'`;
  const base = `${apiUrl}/api/content/v1`;
  return [
    '',
    'Try in another terminal, in this folder:',
    ...sameFolder(configuration),
    '  1. See which file formats are supported:',
    `  curl ${base}/capabilities ${headers}`,
    "  2. Index a folder (here Ply's own documents) and see the results:",
    '  npm run ply -- add docs',
    `  curl ${base}/activity ${headers}`,
    '  3. Find a passage:',
    `  curl ${base}/search ${headers} -H 'Content-Type: application/json' -d '{"query":"expired lease"}'`,
    '  npm run ply -- search "expired lease"',
    '',
    'npm run ply lists the other commands. Ctrl-C stops.',
  ];
}
