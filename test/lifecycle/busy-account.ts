import type { Accepted } from '../../models/api.ts';
import { content, type Client } from '../api/support/client.ts';
import type { Source } from '../api/support/source.ts';

/** What a busy account contains. */
export interface BusyAccount {
  assetIds: string[];
  connectorId: string;
  subOrganizationId: string;
}

/**
 * Creates data in every store, each containing the given unique word: files, their names and metadata, permissions, an
 * import, Idempotency-Keys, searches, suggestions, tuning, collections, settings, a connector, a sub-organization,
 * failed and cancelled jobs, replaced versions.
 */
export async function useEverything(
  source: Source,
  admin: Client,
  standard: Client,
  word: string,
): Promise<BusyAccount> {
  const shared = source.put('shared.txt', 'The same text about lighthouses lies with both accounts.');
  const own = (name: string, more = ''): { sourceUrl: string; sourceVersion: string } =>
    source.put(`${word}-${name}`, `Here stands ${word}, whose keeper is ${word}ine. ${more}`.repeat(20));
  const first = await standard.indexed({
    externalId: `${word}-first`,
    filename: `${word}.txt`,
    metadata: { [word]: word, year: 1 },
    ...own('first.txt'),
  });
  const second = await standard.indexed({ externalId: 'shared', filename: 'shared.txt', ...shared });
  await standard.indexed({
    externalId: `${word}-first`,
    filename: `${word}.txt`,
    metadata: { [word]: word },
    ...own('first.txt', 'Another version.'),
  });
  await standard.get(200, 'PUT', `${content}/assets/${first.assetId}/permissions`, {
    body: { mode: 'restricted', principals: [`user:${word}`] },
  });
  const { jobId } = await standard.register({
    externalId: `${word}-gone`,
    filename: 'gone.txt',
    sourceUrl: `${source.url}/${word}-nowhere.txt`,
    sourceVersion: '"1"',
  });
  await standard.reaches(jobId, 'failed', 'awaiting_source_access', 'cancelled');
  const { results } = await standard.get<{ results: Accepted[] }>(202, 'POST', `${content}/imports`, {
    headers: { 'Idempotency-Key': `${word}-import` },
    body: {
      assets: [{ externalId: `${word}-imported`, filename: `${word}.md`, kind: 'document', ...own('imported.md') }],
    },
  });
  for (const accepted of results) await standard.reaches(accepted.jobId, 'ready');
  for (const query of [word, `${word} keeper`, 'lighthouses'])
    for (let times = 0; times < 3; times += 1) await standard.search({ query, principals: [`user:${word}`] });
  await standard.get(200, 'PUT', `${content}/tuning/synonyms`, { body: [{ term: word, expansions: [`${word}ian`] }] });
  await standard.get(200, 'PUT', `${content}/tuning/boosts/${word}`, {
    body: { name: word, match: { metadata: { [word]: word } }, factor: 2 },
  });
  await standard.get(201, 'POST', `${content}/collections`, {
    body: { name: word, documents: [first.assetId, second.assetId] },
  });
  await standard.get(200, 'PATCH', `${content}/settings`, {
    body: { callbackUrl: `https://${word}.example.com/ask`, callbackSecret: `${word}-secret-of-many-characters` },
  });
  const s3 = {
    endpoint: 'http://127.0.0.1:9',
    bucket: word,
    region: 'eu-central-1',
    prefix: `${word}/`,
    accessKeyId: 'AKIA',
  };
  const { connectorId } = await standard.get<{ connectorId: string }>(201, 'POST', `${content}/connectors`, {
    body: { name: word, kind: 's3', config: s3, credential: `${word}-credential`, schedule: 'nightly' },
  });
  await standard.ask('POST', `${content}/connectors/${connectorId}/sync`);
  const { id } = await admin.createOrganization(`${word} faculty`);
  await standard.as(id).indexed({ externalId: `${word}-sub`, filename: `${word}.txt`, ...own('sub.txt') });
  return { assetIds: [first.assetId, second.assetId], connectorId, subOrganizationId: id };
}
