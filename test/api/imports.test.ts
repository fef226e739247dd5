import type { Accepted, ImportResult } from '../../models/api.ts';
import { content, expectRefused, registration, until, type Registration } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

interface Imported {
  importId: string;
  results: ImportResult[];
}

interface ImportStatus {
  importId: string;
  items: { jobId: string; assetId: string; state: string; progress: number; errorCode: string | null }[];
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function item(name: string, more: Partial<Registration> = {}): object {
  return registration({
    externalId: name,
    filename: `${name}.txt`,
    ...program.source.put(`${name}.txt`, `${name} words`),
    ...more,
  });
}

function send(assets: unknown[], headers: Record<string, string> = {}): Promise<Imported> {
  return program.standard.get(202, 'POST', `${content}/imports`, { body: { assets }, headers });
}

function acceptedOf(results: readonly ImportResult[]): Accepted[] {
  return results.flatMap((result) =>
    'assetId' in result ? [{ assetId: result.assetId, jobId: result.jobId, revision: result.revision }] : [],
  );
}

describe('an import', () => {
  it('accepts each item separately, in the order sent', async () => {
    const { importId, results } = await send([item('alpha'), item('beta')]);
    expect(importId).toMatch(uuid);
    expect(results).toEqual(
      ['alpha', 'beta'].map((externalId) => ({
        externalId,
        assetId: expect.stringMatching(uuid),
        jobId: expect.stringMatching(uuid),
        revision: 1,
      })),
    );
    const read = (): Promise<ImportStatus> => program.standard.get(200, 'GET', `${content}/imports/${importId}`);
    const standing = await until(read, ({ items }) => items.every(({ state }) => state === 'ready'));
    expect(standing).toEqual({
      importId,
      items: acceptedOf(results).map(({ assetId, jobId }) => ({
        jobId,
        assetId,
        state: 'ready',
        progress: 100,
        errorCode: null,
      })),
    });
  });

  it('refuses single items with their path in the body', async () => {
    const known = item('known');
    await program.standard.get(202, 'POST', `${content}/assets`, { body: known });
    const { importId, results } = await send([
      item('gamma'),
      item('bad-kind', { kind: 'picture' }),
      'no object',
      null,
      { filename: 'a.txt' },
      item('long', { audioTrack: 16 }),
      known,
      item('signed', { sourceUrl: 'http://127.0.0.1/a.txt?sig=1' }),
      item('bad-name', { filename: 'a.exe' }),
      item('gathered', { collections: ['none'] }),
      item('principals', { principals: ['a', ''] }),
      item('delta'),
      item('odd', { colour: 1 }),
      [],
    ]);
    const refused = (externalId: string | null, code: string, fields?: (string | number)[]) => ({
      externalId,
      code,
      ...(fields === undefined ? {} : { fields: ['body', 'assets', ...fields] }),
      detail: expect.stringMatching(/./),
    });
    const accepted = (externalId: string) => expect.objectContaining({ externalId, revision: 1 });
    expect(results).toEqual([
      accepted('gamma'),
      refused('bad-kind', 'validation_error', [1, 'kind']),
      refused(null, 'validation_error', [2]),
      refused(null, 'validation_error', [3]),
      refused(null, 'validation_error', [4, 'externalId']),
      refused('long', 'validation_error', [5, 'audioTrack']),
      refused('known', 'source_version_already_registered'),
      refused('signed', 'source_url_must_be_unsigned'),
      refused('bad-name', 'validation_error', [8, 'filename']),
      refused('gathered', 'collection_not_found'),
      refused('principals', 'validation_error', [10, 'principals', 1]),
      accepted('delta'),
      refused('odd', 'validation_error', [12, 'colour']),
      refused(null, 'validation_error', [13]),
    ]);
    const standing = await program.standard.get<ImportStatus>(200, 'GET', `${content}/imports/${importId}`);
    expect(standing.items.map(({ assetId }) => assetId)).toEqual(acceptedOf(results).map(({ assetId }) => assetId));
  });

  it('creates revisions in the order sent for a repeated externalId', async () => {
    const versions = [1, 2, 3].map((at) =>
      item('repeated', program.source.put(`repeated-${at}.txt`, `repeated ${at}`)),
    );
    const { results } = await send([...versions, versions[1]]);
    expect(acceptedOf(results).map(({ revision }) => revision)).toEqual([1, 2, 3]);
    expect(results[3]).toMatchObject({ externalId: 'repeated', code: 'source_version_already_registered' });
  });

  it('accepts 1 to 100 items', async () => {
    const items = Array.from({ length: 101 }, (_, at) => item(`bulk-${at}`));
    expect((await send(items.slice(0, 100))).results.every((result) => 'assetId' in result)).toBe(true);
    const ask = (body: unknown) => program.standard.ask('POST', `${content}/imports`, { body });
    expectRefused(await ask({ assets: items }), [422, 'validation_error', ['body', 'assets']]);
    expectRefused(await ask({ assets: [] }), [422, 'validation_error', ['body', 'assets']]);
    expectRefused(await ask({ assets: 'all' }), [422, 'validation_error', ['body', 'assets']]);
    expectRefused(await ask({}), [422, 'validation_error', ['body', 'assets']]);
    expectRefused(await ask({ assets: [items[0]], more: 1 }), [422, 'validation_error', ['body', 'more']]);
    const { total } = await program.standard.get<{ total: number }>(200, 'GET', `${content}/assets?limit=1`);
    expect(total).toBeGreaterThanOrEqual(100);
  });

  it('has no items if none is accepted', async () => {
    const { importId, results } = await send([{}, 1]);
    expect(results.map((result) => ('code' in result ? result.code : ''))).toEqual([
      'validation_error',
      'validation_error',
    ]);
    expect(await program.standard.get(200, 'GET', `${content}/imports/${importId}`)).toEqual({ importId, items: [] });
  });

  it('is executed once for an Idempotency-Key', async () => {
    const items = [item('epsilon'), { externalId: 'no-good' }];
    const first = await send(items, { 'Idempotency-Key': 'import' });
    const again = await program.standard.ask<Imported>('POST', `${content}/imports`, {
      body: { assets: items },
      headers: { 'Idempotency-Key': 'import' },
    });
    expect(again.body).toEqual(first);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('shows superseded, failed and removed items', async () => {
    const reference = program.source.put('zeta-2.txt', 'zeta two');
    const { importId, results } = await send([item('zeta'), item('eta', { sourceVersion: '"other"' }), item('theta')]);
    const [zeta, eta, theta] = acceptedOf(results);
    await program.standard.reaches(zeta!.jobId, 'ready');
    await program.standard.reaches(eta!.jobId, 'failed');
    await program.standard.indexed({ externalId: 'zeta', filename: 'zeta.txt', ...reference });
    await program.standard.reaches(theta!.jobId, 'ready');
    const read = async (): Promise<unknown[]> =>
      (await program.standard.get<ImportStatus>(200, 'GET', `${content}/imports/${importId}`)).items.map(
        ({ jobId, state, errorCode }) => [jobId, state, errorCode],
      );
    expect(await read()).toEqual([
      [zeta!.jobId, 'ready', null],
      [eta!.jobId, 'failed', 'source_version_changed'],
      [theta!.jobId, 'ready', null],
    ]);
    await program.standard.get(202, 'DELETE', `${content}/assets/${theta!.assetId}`);
    expect((await read()).slice(0, 2)).toEqual([
      [zeta!.jobId, 'ready', null],
      [eta!.jobId, 'failed', 'source_version_changed'],
    ]);
  });

  it('is not found by an unknown id', async () => {
    expectRefused(await program.standard.ask('GET', `${content}/imports/00000000-0000-4000-8000-000000000000`), [
      404,
      'import_not_found',
    ]);
    expectRefused(await program.standard.ask('GET', `${content}/imports/x`), [
      422,
      'validation_error',
      ['path', 'importId'],
    ]);
  });
});
