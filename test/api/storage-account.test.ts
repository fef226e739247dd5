import type { StorageAccountView } from '../../models/storage-account.ts';
import { content, expectRefused, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const path = `${content}/storage-account`;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

async function organization(): Promise<Client> {
  return program.admin.as((await program.admin.createOrganization('Another')).id);
}

describe('the storage account', () => {
  it('is created once, read, and moved to another home region', async () => {
    const admin = await organization();
    expectRefused(await admin.ask('GET', path), [404, 'storage_account_not_found']);
    const early = await admin.ask('PATCH', path, { body: { homeRegion: 'in-west' } });
    expectRefused(early, [404, 'storage_account_not_found']);
    expectRefused(await admin.ask('PATCH', path, { body: {} }), [404, 'storage_account_not_found']);
    const made = await admin.get<StorageAccountView>(201, 'POST', path, {
      body: { name: 'acme1', homeRegion: 'in-west' },
    });
    expect(made).toEqual({
      name: 'acme1',
      homeRegion: 'in-west',
      blobEndpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/acme1$/),
      dnsState: 'active',
      createdAt: expect.stringMatching(instant),
    });
    expect(await admin.get(200, 'GET', path)).toEqual(made);
    const again = await admin.ask('POST', path, { body: { name: 'acme1', homeRegion: 'in-west' } });
    expectRefused(again, [409, 'storage_account_exists']);
    expect(await admin.get(200, 'PATCH', path, { body: {} })).toEqual(made);
    const moved = { ...made, homeRegion: 'us-east' };
    for (let times = 0; times < 2; times += 1)
      expect(await admin.get(200, 'PATCH', path, { body: { homeRegion: 'us-east' } })).toEqual(moved);
    expect(await admin.get(200, 'GET', path)).toEqual(moved);
    expectRefused(await admin.ask('DELETE', path), [405, 'method_not_allowed']);
    const { items } = await admin.get<{ items: object[] }>(200, 'GET', `${content}/audit`);
    const row = { resourceKind: 'storage_account', resourceId: 'acme1', actor: expect.stringMatching(/^api_key:/) };
    expect(items).toEqual([
      expect.objectContaining({ ...row, action: 'storage_account.updated', detail: { fields: ['homeRegion'] } }),
      expect.objectContaining({ ...row, action: 'storage_account.created', detail: {} }),
    ]);
  });

  it('has a name of its own in the whole deployment', async () => {
    const [one, other] = [await organization(), await organization()];
    const body = { name: 'unique2', homeRegion: 'eu-central' };
    const answers = await Promise.all([one, other].map((client) => client.ask('POST', path, { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.body).toMatchObject({ code: 'storage_account_name_taken' });
    const loser = answers[0]?.status === 409 ? one : other;
    expectRefused(await loser.ask('GET', path), [404, 'storage_account_not_found']);
    const twice = await Promise.all(
      ['first3', 'second3'].map((name) => loser.ask('POST', path, { body: { ...body, name } })),
    );
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(twice.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'storage_account_exists' });
  });

  it.each<[object, string[]]>([
    [{ homeRegion: 'in-west' }, ['body', 'name']],
    [{ name: 'ab', homeRegion: 'in-west' }, ['body', 'name']],
    [{ name: 'a'.repeat(25), homeRegion: 'in-west' }, ['body', 'name']],
    [{ name: 'Acme', homeRegion: 'in-west' }, ['body', 'name']],
    [{ name: 'ac-me', homeRegion: 'in-west' }, ['body', 'name']],
    [{ name: 'in-west', homeRegion: 'in-west' }, ['body', 'name']],
    [{ name: null, homeRegion: 'in-west' }, ['body', 'name']],
    [{ name: 'plycdn', homeRegion: 'moon' }, ['body', 'name']],
    [{ name: 'www', homeRegion: 'in-west' }, ['body', 'name']],
    [{ name: 'fine' }, ['body', 'homeRegion']],
    [{ name: 'fine', homeRegion: null }, ['body', 'homeRegion']],
    [{ name: 'fine', homeRegion: '' }, ['body', 'homeRegion']],
  ])('is refused as %j', async (body, fields) => {
    const refused = await program.admin.ask('POST', path, { body });
    expectRefused(refused, [422, 'validation_error', fields]);
  });

  it('has none of the reserved names', async () => {
    for (const name of ['admin', 'api', 'blob', 'ply', 'plycdn', 'www'])
      expectRefused(await program.admin.ask('POST', path, { body: { name, homeRegion: 'in-west' } }), [
        422,
        'validation_error',
        ['body', 'name'],
      ]);
  });

  it('needs an admin key and a region that is open', async () => {
    const body = { name: 'fine', homeRegion: 'in-west' };
    for (const method of ['POST', 'PATCH'] as const)
      expectRefused(await program.standard.ask(method, path, { body }), [403, 'admin_key_required']);
    const nowhere = { name: 'fine', homeRegion: 'moon' };
    expectRefused(await program.admin.ask('POST', path, { body: nowhere }), [422, 'region_not_available']);
    expectRefused(await program.standard.ask('GET', path), [404, 'storage_account_not_found']);
    const admin = await organization();
    await admin.get(201, 'POST', path, { body });
    const moved = await admin.ask('PATCH', path, { body: { homeRegion: 'moon' } });
    expectRefused(moved, [422, 'region_not_available']);
    const none = await admin.ask('PATCH', path, { body: { homeRegion: null } });
    expectRefused(none, [422, 'validation_error', ['body', 'homeRegion']]);
    expect(await admin.get(200, 'GET', path)).toMatchObject(body);
  });
});
