import type { Program } from './program.ts';

/** What the program says when it is ready: what runs where, and what to try next. */
export async function firstWords(program: Program, startMs: number): Promise<string> {
  const { configuration, apiUrl, metricsUrl, firstStart, house } = program;
  const { parts } = await program.readiness();
  const lines = [`\nPly is ready (${(startMs / 1000).toFixed(1)} s): ${configuration.PLY_ROLES.join(', ')}`];
  if (apiUrl !== null) {
    lines.push(`  API         ${apiUrl}/api/content/v1`, `  reference   ${apiUrl}/docs`, `  health      ${apiUrl}/health/ready`);
  }
  lines.push(`  metrics     ${metricsUrl}/metrics`, `  data        ${configuration.PLY_DATA_DIR}`);
  for (const [name, part] of Object.entries(parts)) if (part.state !== 'up') lines.push(`  ${name.padEnd(11)} ${part.state}: ${part.detail ?? ''}`);
  if (house.embeddings.model === null) lines.push('  Search goes by words alone until a model is there: npm run ply -- doctor says how.');
  if (configuration.PLY_PRIVATE_NETWORKS === 'allow') lines.push('  WARNING     PLY_PRIVATE_NETWORKS=allow: sources may use http and private addresses. For one machine and tests only.');
  if (firstStart !== null && apiUrl !== null) lines.push(...keys(firstStart, apiUrl));
  return lines.join('\n');
}

function keys(first: NonNullable<Program['firstStart']>, apiUrl: string): string[] {
  const headers = `-H 'Authorization: ApiKey ${first.standardKey}' -H 'X-Organization-Id: ${first.organizationId}'`;
  const base = `${apiUrl}/api/content/v1`;
  return [
    '',
    'This is the first start. These keys are shown once; keep them:',
    `  organization  ${first.organizationId}`,
    `  admin key     ${first.adminKey}`,
    `  standard key  ${first.standardKey}`,
    '',
    'Try:',
    `  curl ${base}/capabilities ${headers}`,
    `  curl ${base}/assets ${headers}`,
    `  curl ${base}/search ${headers} -H 'Content-Type: application/json' -d '{"query":"what is indexed here"}'`,
    'and, to index a folder of yours:  npm run ply -- add <folder>',
  ];
}
