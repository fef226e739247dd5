import { randomUUID } from 'node:crypto';
import type { ApiKeyView, AuditView, NewApiKeyView, OrganizationProfileView } from '../../models/api.ts';
import { Client, content, expectRefused, until } from './support/client.ts';
import { join } from './support/person.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { ownerEnvironment, signIn, type SessionClient } from './support/session.ts';

const path = '/api/dashboard/api-keys';
const organization = '/api/dashboard/organization';

let program: TestProgram;
let owner: SessionClient;
beforeAll(async () => {
  program = await startTestProgram(ownerEnvironment);
  owner = await signIn(program);
});
afterAll(() => program.end());

const list = async (): Promise<ApiKeyView[]> => (await owner.get<{ items: ApiKeyView[] }>(200, 'GET', path)).items;
const statusOf = async (key: string): Promise<number> =>
  (await new Client(program.url, program.organizationId, key).ask('GET', `${content}/capabilities`)).status;
const becomes = (key: string, status: number): Promise<number> =>
  until(
    () => statusOf(key),
    (answered) => answered === status,
  );

describe('API keys in the dashboard', () => {
  it('are created, rotated with an overlap, deactivated and reactivated', async () => {
    const [standard, admin] = await list();
    expect([standard, admin].map((key) => key?.scope).sort()).toEqual(['admin', 'standard']);
    expect(JSON.stringify(await list())).not.toContain(program.standard.key);
    const body = { label: 'Mine', scope: 'standard' };
    expectRefused(await owner.ask('POST', path, { body }), [409, 'api_key_limit_reached']);
    const old = (await list()).find(({ scope }) => scope === 'standard');
    expect(await owner.get(200, 'POST', `${path}/${old?.id}/deactivate`)).toMatchObject({ isActive: false });
    await becomes(program.standard.key, 401);
    const made = await owner.get<NewApiKeyView>(201, 'POST', path, { body });
    expect(made).toMatchObject({
      label: 'Mine',
      scope: 'standard',
      isActive: true,
      expiresAt: null,
      formerUntil: null,
    });
    expect(made.key.slice(0, 12)).toBe(made.prefix);
    expect(await statusOf(made.key)).toBe(200);
    const rotated = await owner.get<NewApiKeyView>(200, 'POST', `${path}/${made.id}/rotate`, {
      body: { overlapSeconds: 3600 },
    });
    expect(Date.parse(rotated.formerUntil ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    expect([await statusOf(made.key), await statusOf(rotated.key)]).toEqual([200, 200]);
    const again = await owner.get<NewApiKeyView>(200, 'POST', `${path}/${made.id}/rotate`, { body: {} });
    await becomes(rotated.key, 401);
    await becomes(made.key, 401);
    expect(await statusOf(again.key)).toBe(200);
    expectRefused(await owner.ask('POST', `${path}/${old?.id}/reactivate`), [409, 'api_key_limit_reached']);
    expectRefused(await owner.ask('POST', `${path}/${old?.id}/rotate`, { body: {} }), [409, 'api_key_inactive']);
    await owner.get(200, 'POST', `${path}/${made.id}/deactivate`);
    expect(await owner.get(200, 'POST', `${path}/${old?.id}/reactivate`)).toMatchObject({ isActive: true });
    const { items } = await owner.get<{ items: AuditView[] }>(200, 'GET', '/api/account-audit?limit=100');
    const about = items.filter(({ resourceId }) => resourceId === made.id);
    expect(about.map(({ action, actor }) => [action, actor.kind])).toEqual([
      ['api_key.deactivated', 'user'],
      ['api_key.rotated', 'user'],
      ['api_key.rotated', 'user'],
      ['api_key.created', 'user'],
    ]);
  });

  it('name the field at fault', async () => {
    for (const [body, field] of [
      [{ scope: 'standard' }, 'label'],
      [{ label: '', scope: 'standard' }, 'label'],
      [{ label: 'x', scope: 'king' }, 'scope'],
      [{ label: 'x', scope: 'admin', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ label: 'x', scope: 'admin', expiresAt: 'soon' }, 'expiresAt'],
    ] as const)
      expectRefused(await owner.ask('POST', path, { body }), [422, 'validation_error', ['body', field]]);
    expectRefused(await owner.ask('POST', `${path}/${randomUUID()}/rotate`, { body: { overlapSeconds: -1 } }), [
      422,
      'validation_error',
      ['body', 'overlapSeconds'],
    ]);
    expectRefused(await owner.ask('POST', `${path}/${randomUUID()}/rotate`, { body: {} }), [404, 'api_key_not_found']);
  });

  it('are not for editors, nor for keys', async () => {
    const editor = await join(owner, 'editor');
    expectRefused(await editor.client.ask('GET', path), [403, 'role_not_sufficient']);
    expectRefused(await program.admin.ask('GET', path), [403, 'dashboard_session_required']);
  });
});

describe("the account's own organization", () => {
  it('is read by everybody and changed by admins', async () => {
    const reader = await join(owner, 'reader');
    const before = await reader.client.get<OrganizationProfileView>(200, 'GET', organization);
    expect(before).toMatchObject({ id: program.organizationId, timeZone: 'UTC', plan: null, contactEmail: null });
    expectRefused(await reader.client.ask('PATCH', organization, { body: { name: 'x' } }), [
      403,
      'role_not_sufficient',
    ]);
    const changed = await owner.get(200, 'PATCH', organization, {
      body: { name: 'Harbour', contactEmail: 'a@example.com', description: null },
    });
    expect(changed).toMatchObject({ name: 'Harbour', contactEmail: 'a@example.com', description: null });
    expect(await owner.get(200, 'PATCH', organization, { body: { name: 'Harbour' } })).toEqual(changed);
    for (const [body, field] of [
      [{ name: '' }, 'name'],
      [{ contactEmail: 'nobody' }, 'contactEmail'],
      [{ timeZone: 'UTC' }, 'timeZone'],
    ] as const)
      expectRefused(await owner.ask('PATCH', organization, { body }), [422, 'validation_error', ['body', field]]);
    const { items } = await owner.get<{ items: AuditView[] }>(200, 'GET', '/api/account-audit?limit=100');
    expect(items.filter(({ action }) => action === 'organization.updated').map(({ detail }) => detail)).toEqual([
      { fields: ['name', 'contactEmail'] },
    ]);
  });
});
