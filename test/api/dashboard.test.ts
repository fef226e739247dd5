import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { content } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const email = 'Owner@Example.com';
const password = 'pässword 1';
const path = '/api/dashboard/session';

let program: TestProgram;
let ply: CommandLine;
beforeAll(async () => {
  program = await startTestProgram({ PLY_BOOTSTRAP_EMAIL: email, PLY_BOOTSTRAP_PASSWORD: password });
  ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
});
afterAll(() => program.end());

interface Answered {
  status: number;
  headers: Headers;
  body: { [field: string]: unknown };
}

async function ask(
  method: string,
  target: string,
  { body, ...headers }: { body?: unknown; [header: string]: unknown } = {},
): Promise<Answered> {
  const response = await fetch(`${program.url}${target}`, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed: Answered['body'] = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: parsed };
}

const signIn = (given: object = {}, headers: object = {}): Promise<Answered> =>
  ask('POST', path, { body: { email, password, ...given }, ...headers });
async function cookie(): Promise<string> {
  const { headers } = await signIn();
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}
const organization = (): { 'X-Organization-Id': string } => ({ 'X-Organization-Id': program.admin.organizationId });

describe('a session of the dashboard', () => {
  it('is started with e-mail address and password, and its cookie is for 12 hours', async () => {
    const started = await signIn({ email: email.toUpperCase() });
    expect(started).toMatchObject({
      status: 200,
      body: { userId: expect.stringMatching(/^[0-9a-f-]{36}$/), email, organizationId: program.admin.organizationId },
    });
    expect(Object.keys(started.body)).toEqual(['userId', 'email', 'organizationId', 'expiresAt']);
    const left = Date.parse(String(started.body['expiresAt'])) - Date.now();
    expect(Math.abs(left - 12 * 3_600_000)).toBeLessThan(60_000);
    expect(started.headers.get('set-cookie')).toMatch(
      /^ply_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect(started.headers.get('cache-control')).toContain('no-store');
  });

  it.each([
    [{ password: 'other' }, 401, 'invalid_credentials', undefined],
    [{ email: 'nobody@example.com' }, 401, 'invalid_credentials', undefined],
    [{ email: undefined }, 422, 'validation_error', ['body', 'email']],
    [{ password: 5 }, 422, 'validation_error', ['body', 'password']],
    [{ other: 1 }, 422, 'validation_error', ['body', 'other']],
  ])('is refused with %j', async (given, status, code, fields) => {
    const refused = await signIn(given);
    expect(refused).toMatchObject({ status, body: { code } });
    expect(refused.body['fields']).toEqual(fields);
    expect(refused.headers.get('set-cookie')).toBeNull();
  });

  it('is never one that the browser came with', async () => {
    const planted = `ply_session=${'a'.repeat(43)}`;
    const { headers } = await signIn({}, { Cookie: planted, Origin: program.url });
    const own = headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(own).toMatch(/^ply_session=[\w-]{43}$/);
    expect(own).not.toBe(planted);
    expect((await ask('GET', path, { Cookie: planted })).status).toBe(401);
    expect((await ask('GET', path, { Cookie: own })).status).toBe(200);
    // Nor is it that of the sign-in before: each has its own, and none takes the place of another.
    const again = (await signIn({}, { Cookie: own, Origin: program.url })).headers.get('set-cookie')?.split(';')[0];
    expect(again).not.toBe(own);
  });

  it('stands in for an admin key', async () => {
    const headers = { Cookie: `other=1; ${await cookie()}`, ...organization() };
    expect(await ask('GET', `${content}/buckets`, headers)).toMatchObject({ status: 200 });
    const made = await ask('POST', `${content}/buckets`, {
      ...headers,
      Origin: program.url,
      'Idempotency-Key': randomUUID(),
      body: { name: `b-${randomUUID()}`, region: 'in-west' },
    });
    expect(made.status).toBe(202);
    expect(await ask('GET', `${content}/buckets`, { ...headers, 'X-Organization-Id': randomUUID() })).toMatchObject({
      status: 403,
      body: { code: 'organization_forbidden' },
    });
    expect(await ask('GET', '/api/people', headers)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it("changes something from the API's own origin alone", async () => {
    const headers = { Cookie: await cookie(), ...organization() };
    const create = (more: object): Promise<Answered> =>
      ask('POST', '/api/sub-organizations', { ...headers, ...more, body: { name: `s-${randomUUID()}` } });
    for (const origin of [
      undefined,
      'https://evil.example',
      'null',
      program.url.replace('http:', 'https:'),
      `${program.url}0`,
    ])
      expect(await create(origin === undefined ? {} : { Origin: origin })).toMatchObject({
        status: 403,
        body: { code: 'origin_not_allowed' },
      });
    const made = await create({ Origin: program.url });
    expect(made.status).toBe(201);
    const { body } = await ask('GET', '/api/account-audit?limit=1', headers);
    expect(body['items']).toMatchObject([
      {
        actor: { kind: 'user', id: expect.stringMatching(/^[0-9a-f-]{36}$/), label: email, prefix: null },
        action: 'sub_organization.created',
        resourceId: made.body['id'],
      },
    ]);
    expect(await ask('DELETE', path, { ...headers, Origin: 'https://evil.example' })).toMatchObject({
      body: { code: 'origin_not_allowed' },
    });
    expect(await signIn({}, { Origin: 'https://evil.example' })).toMatchObject({
      body: { code: 'origin_not_allowed' },
    });
    expect(await signIn({}, { Origin: program.url })).toMatchObject({ status: 200 });
    expect(await ask('GET', `${content}/buckets`, { ...headers, Origin: 'https://evil.example' })).toMatchObject({
      status: 200,
    });
  });

  it('ends at once, on every connection', async () => {
    const headers = { Cookie: await cookie(), ...organization() };
    expect(await ask('GET', `${content}/buckets`, headers)).toMatchObject({ status: 200 });
    const ended = await ask('DELETE', path, { ...headers, Origin: program.url });
    expect(ended).toMatchObject({ status: 204, body: {} });
    expect(ended.headers.get('set-cookie')).toMatch(/^ply_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/);
    expect(await ask('GET', `${content}/buckets`, headers)).toMatchObject({
      status: 401,
      body: { code: 'api_key_required' },
    });
    expect(await ask('DELETE', path)).toMatchObject({ status: 204 });
  });

  it('is not what a key is refused without: keys go first, and other methods are refused', async () => {
    const headers = { Cookie: await cookie(), ...organization() };
    expect(await ask('GET', `${content}/buckets`, { ...headers, Authorization: 'ApiKey wrong' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_api_key' },
    });
    const { status, headers: answered } = await ask('PUT', path, headers);
    expect([status, answered.get('allow')]).toEqual([405, 'GET, HEAD, POST, DELETE']);
    expect(
      await ask('GET', `${content}/buckets`, { Cookie: `ply_session=${'a'.repeat(43)}`, ...organization() }),
    ).toMatchObject({ status: 401 });
  });
});

describe('signing in', () => {
  it('is refused after ten failures of an address, also with the right password and in another case', async () => {
    const victim = await ply(['users', 'password', 'victim@example.com']);
    expect(victim.output).toContain('victim@example.com');
    const right = /only shown now: (\S+)/.exec(victim.output)?.[1] ?? '';
    const attempt = (given: string): Promise<Answered> => signIn({ email: 'Victim@example.com', password: given });
    expect((await attempt(right)).status).toBe(200);
    const failed = await Promise.all(Array.from({ length: 12 }, () => attempt('wrong')));
    expect(failed.filter(({ status }) => status === 401)).toHaveLength(10);
    const refused = await attempt(right);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800);
    expect((await signIn()).status).toBe(200);
  }, 60_000);

  it('with a password that was replaced is refused, and its sessions are over', async () => {
    const made = await ply(['users', 'password', 'second@example.com']);
    const first = /only shown now: (\S+)/.exec(made.output)?.[1] ?? '';
    const { headers } = await signIn({ email: 'second@example.com', password: first });
    const session = { Cookie: headers.get('set-cookie')?.split(';')[0], ...organization() };
    expect((await ask('GET', `${content}/buckets`, session)).status).toBe(200);
    await ply(['users', 'password', 'second@example.com']);
    expect((await ask('GET', `${content}/buckets`, session)).status).toBe(401);
    expect((await signIn({ email: 'second@example.com', password: first })).status).toBe(401);
    expect((await ply(['users'])).output).toContain('second@example.com');
  });
});
