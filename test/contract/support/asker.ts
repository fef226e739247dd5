import type { Accepted } from '../../../models/api.ts';
import { until, type Registration } from '../../api/support/client.ts';
import type { TestProgram } from '../../api/support/program.ts';
import type { Asked } from './recorder.ts';

/** Calls of the contract tests: every response is checked against the description. */
export interface Asker {
  program: TestProgram;
  /** Calls an operation for its success, and returns the body. */
  succeed<T>(operation: string, asked?: Asked): Promise<T>;
  refused(operation: string, code: string, asked?: Asked): Promise<void>;
  put(name: string, text?: string): { sourceUrl: string; sourceVersion: string };
  /** A registration of a readable file. */
  asset(fields?: Partial<Registration>): { [field: string]: unknown };
}

/** The errors of a registration. */
export async function askAboutRegistration({ succeed, refused, put, asset }: Asker): Promise<void> {
  const reference = put('b.txt');
  const refuse = (code: string, fields: { [field: string]: unknown }): Promise<void> =>
    refused('registerAsset', code, { body: asset(fields) });
  await refuse('source_url_must_be_unsigned', { sourceUrl: `${reference.sourceUrl}?sig=x` });
  await refuse('source_access_mismatch', { ...reference, sourceAccess: { url: `${reference.sourceUrl}x?sig=1` } });
  await refuse('ambiguous_source_credentials', {
    ...reference,
    sourceAccess: { url: `${reference.sourceUrl}?sig=1`, sasToken: 'sig=2' },
  });
  await refuse('source_host_outside_ceiling', { sourceUrl: 'https://files.example.com/a.txt' });
  await refuse('source_host_not_allowed', { sourceUrl: 'http://0.0.0.0/a.txt' });
  await refuse('collection_not_found', { collections: ['none'] });
  await refuse('callback_not_configured', { callbackKey: 'x' });
  await refuse('validation_error', { filename: 'a.txt', kind: 'video' });
  const body = asset({ externalId: 'registered' });
  await succeed('registerAsset', { body });
  await refused('registerAsset', 'source_version_already_registered', { body });
}

/** Source access: one of the two recordings has an unreadable address, the other an address outside the ceiling. */
export async function askAboutAccess(
  { program, succeed, refused }: Asker,
  { readable, unreadable }: { readable: Accepted | undefined; unreadable: Accepted | undefined },
): Promise<void> {
  const reference = program.source.put('closed.txt', 'x', { status: 403 });
  const { assetId, jobId } = await program.standard.register({ ...reference, filename: 'closed.txt' });
  await program.standard.reaches(jobId, 'awaiting_source_access');
  const give = (code: string, id: string | undefined, body: object): Promise<void> =>
    refused('giveSourceAccess', code, { ids: { assetId: id ?? '' }, body });
  await give('source_access_mismatch', assetId, { url: `${reference.sourceUrl}x?sig=1` });
  await give('ambiguous_source_credentials', assetId, { url: `${reference.sourceUrl}?sig=1`, sasToken: 'sig=2' });
  await give('source_host_not_allowed', unreadable?.assetId, { url: 'http://0.0.0.0/a.mp3' });
  await give('source_host_outside_ceiling', readable?.assetId, {
    url: (await program.standard.asset(readable?.assetId ?? '')).sourceUrl,
  });
  program.source.change('closed.txt', { status: 200 });
  expect(
    await succeed('giveSourceAccess', { ids: { assetId }, body: { url: reference.sourceUrl, sasToken: 'sig=1' } }),
  ).toEqual({ assetId, resumedJobs: [jobId] });
  expect(await succeed('giveSourceAccess', { ids: { assetId }, body: { url: reference.sourceUrl } })).toMatchObject({
    assetId,
  });
}

/** Synonyms, boosts and pins. */
export async function askAboutTuning({ program, succeed, refused, asset }: Asker): Promise<void> {
  const { assetId } = await program.standard.register(asset() as Registration);
  await succeed('writeSynonyms', { body: [{ term: 'cell', expansions: ['battery'] }] });
  await succeed('readSynonyms');
  await succeed('writeBoost', {
    ids: { name: 'b' },
    body: { name: 'b', match: { kind: 'document', metadata: { c: 1.5 } }, factor: 1.5 },
  });
  await refused('writeBoost', 'name_mismatch', {
    ids: { name: 'c' },
    body: { name: 'b', match: { kind: 'document' }, factor: 1.5 },
  });
  await succeed('readBoosts');
  await succeed('writePin', { body: { query: 'mitochondria', assetIds: [assetId] } });
  await succeed('readPins');
  await until(
    () => succeed<{ items: unknown[] }>('search', { body: { query: 'mitochondria', principals: ['p', 'r'] } }),
    ({ items }) => items.length > 0,
  );
  await succeed('removeBoost', { ids: { name: 'b' } });
  await succeed('writeSynonyms', { body: [] });
}
