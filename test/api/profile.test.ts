import { join as joined } from 'node:path';
import type { NewSecondFactorView, ProfileView, RecoveryCodesView, SessionItemView } from '../../models/api.ts';
import { hotp, totpStep } from '../../models/totp.ts';
import { secretBytes } from '../contract/support/asker-people.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { content, expectRefused } from './support/client.ts';
import { cookieOf, join, personPassword, post, type TestPerson } from './support/person.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { ownerEnvironment, SessionClient, signIn } from './support/session.ts';

const session = '/api/dashboard/session';
const profile = '/api/dashboard/profile';
const sessions = '/api/dashboard/sessions';
const factor = `${profile}/second-factor`;

let program: TestProgram;
let ply: CommandLine;
let owner: SessionClient;
beforeAll(async () => {
  program = await startTestProgram(ownerEnvironment);
  ply = commandLine({ PLY_DATA_DIR: joined(program.folder, 'data') });
  owner = await signIn(program);
});
afterAll(() => program.end());

const enter = (email: string, more: object = {}, headers: Record<string, string> = {}) =>
  post(program.url, session, { email, password: personPassword, ...more }, headers);
async function another({ email }: TestPerson, headers: Record<string, string> = {}): Promise<SessionClient> {
  return new SessionClient(program.url, program.organizationId, cookieOf(await enter(email, {}, headers)));
}
const isIn = async (client: SessionClient): Promise<boolean> =>
  (await client.ask('GET', `${content}/capabilities`)).status === 200;
const listed = async (client: SessionClient): Promise<SessionItemView[]> =>
  (await client.get<{ items: SessionItemView[] }>(200, 'GET', sessions)).items;

describe('the own profile', () => {
  it('says who is signed in', async () => {
    const { client, email, userId } = await join(owner, 'reader');
    expect(await client.get<ProfileView>(200, 'GET', profile)).toEqual({
      userId,
      email,
      role: 'reader',
      organizationId: program.organizationId,
      organizationName: 'Organization',
      timeZone: 'UTC',
      secondFactor: false,
      recoveryCodesLeft: 0,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(Object.keys(await client.get<object>(200, 'GET', session))).toEqual([
      'userId',
      'email',
      'organizationId',
      'expiresAt',
      'role',
      'timeZone',
      'plainDelivery',
    ]);
    expect(await (await fetch(`${program.url}${session}`)).json()).toMatchObject({ code: 'api_key_required' });
  });

  it('changes its password, which ends every other session', async () => {
    const person = await join(owner, 'reader');
    const other = await another(person);
    const change = (password: string, newPassword: string) =>
      person.client.ask('POST', `${profile}/password`, { body: { password, newPassword } });
    expectRefused(await change('wrong', 'long enough for it'), [401, 'invalid_credentials']);
    expectRefused(await change(personPassword, 'short'), [422, 'validation_error', ['body', 'newPassword']]);
    expect((await change(personPassword, 'long enough for it')).status).toBe(204);
    expect([await isIn(person.client), await isIn(other)]).toEqual([true, false]);
    expect((await enter(person.email)).status).toBe(401);
    expect((await enter(person.email, { password: 'long enough for it' })).status).toBe(200);
  });

  it('counts wrong passwords of a session that somebody left open', async () => {
    const person = await join(owner, 'reader');
    const wrong = () => person.client.ask('POST', factor, { body: { password: 'wrong' } });
    for (let count = 0; count < 10; count += 1) expectRefused(await wrong(), [401, 'invalid_credentials']);
    expect((await wrong()).status).toBe(429);
  });
});

describe('sessions', () => {
  it('are listed with their clients, and end at once when revoked', async () => {
    const person = await join(owner, 'reader');
    const phone = await another(person, { 'User-Agent': 'Phone/1.0' });
    const [newest, oldest] = await listed(person.client);
    expect(newest).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      isCurrent: false,
      ip: expect.stringContaining('127.0.0.1'),
      userAgent: 'Phone/1.0',
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
    });
    expect(oldest?.isCurrent).toBe(true);
    expect(JSON.stringify([newest, oldest])).not.toContain(phone.key.split('=')[1]);
    expect((await person.client.ask('DELETE', `${sessions}/${newest?.id}`)).status).toBe(204);
    expect(await isIn(phone)).toBe(false);
    expectRefused(await person.client.ask('DELETE', `${sessions}/${newest?.id}`), [404, 'session_not_found']);
    const stranger = await join(owner, 'owner');
    expectRefused(await stranger.client.ask('DELETE', `${sessions}/${oldest?.id}`), [404, 'session_not_found']);
    const third = await another(person);
    expect((await person.client.ask('DELETE', sessions)).status).toBe(204);
    expect([await isIn(person.client), await isIn(third)]).toEqual([true, false]);
  });

  it('begin with a new token, whatever cookie was sent', async () => {
    const person = await join(owner, 'reader');
    const planted = `ply_session=${'p'.repeat(43)}`;
    const started = await enter(person.email, {}, { Cookie: planted });
    expect(cookieOf(started)).not.toBe(planted);
    expect(await isIn(new SessionClient(program.url, program.organizationId, planted))).toBe(false);
    const again = await enter(person.email, {}, { Cookie: cookieOf(started) });
    expect(cookieOf(again)).not.toBe(cookieOf(started));
  });

  it("are not changed from another site's page", async () => {
    const person = await join(owner, 'reader');
    for (const Origin of ['https://evil.example', 'null', ''])
      for (const path of [sessions, `${sessions}/${crypto.randomUUID()}`])
        expectRefused(await person.client.ask('DELETE', path, { headers: { Origin } }), [403, 'origin_not_allowed']);
    expect(await isIn(person.client)).toBe(true);
  });
});

describe('a second factor', () => {
  async function enabled(): Promise<TestPerson & { secret: Buffer; codes: string[]; code: () => string }> {
    const person = await join(owner, 'reader');
    const begun = await person.client.get<NewSecondFactorView>(201, 'POST', factor, {
      body: { password: personPassword },
    });
    expect(begun.address).toContain(`secret=${begun.secret}&issuer=Ply`);
    expect((await enter(person.email)).status).toBe(200);
    const secret = secretBytes(begun.secret);
    const { recoveryCodes } = await person.client.get<RecoveryCodesView>(200, 'POST', `${factor}/confirmation`, {
      body: { code: hotp(secret, totpStep(Date.now()) - 1) },
    });
    // Of the next step, so that it was not used yet.
    return { ...person, secret, codes: recoveryCodes, code: () => hotp(secret, totpStep(Date.now()) + 1) };
  }

  it('is asked for when it is on, and each code is accepted once', async () => {
    const { email, client, codes, code } = await enabled();
    expect(codes).toHaveLength(10);
    for (const each of codes) expect(each).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    expect(await enter(email)).toMatchObject({ status: 401, body: { code: 'second_factor_required' } });
    expect(await enter(email, { code: code(), password: 'wrong' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    });
    const given = code();
    const answers = await Promise.all([1, 2, 3].map(() => enter(email, { code: given })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body['code'] === 'invalid_second_factor')).toHaveLength(2);
    expect(await client.get<ProfileView>(200, 'GET', profile)).toMatchObject({
      secondFactor: true,
      recoveryCodesLeft: 10,
    });
  });

  it('is replaced by a recovery code, which is accepted once, however it is typed', async () => {
    const { email, client, codes } = await enabled();
    const [first = '', second = ''] = codes;
    const answers = await Promise.all([1, 2].map(() => enter(email, { code: first })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await enter(email, { code: second.toUpperCase().replaceAll('-', ' ') })).status).toBe(200);
    expect((await client.get<ProfileView>(200, 'GET', profile)).recoveryCodesLeft).toBe(8);
    const stored = await ply(['secrets']);
    expect(stored.output).toContain('second factors of users');
  });

  it('locks for an hour after five wrong codes, also for the right one', async () => {
    const { email, code } = await enabled();
    const wrong = await Promise.all(Array.from({ length: 6 }, () => enter(email, { code: 'no' })));
    expect(wrong.filter(({ body }) => body['code'] === 'invalid_second_factor')).toHaveLength(5);
    const refused = await enter(email, { code: code() });
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
  });

  it('is turned off by both factors, or by the operator', async () => {
    const { email, client, codes } = await enabled();
    const remove = (body: object) => client.ask('POST', `${factor}/removal`, { body });
    expectRefused(await remove({ password: personPassword, code: '000' }), [401, 'invalid_second_factor']);
    expectRefused(await remove({ password: 'wrong', code: codes[0] }), [401, 'invalid_credentials']);
    expect((await remove({ password: personPassword, code: codes[0] })).status).toBe(204);
    expect((await enter(email)).status).toBe(200);
    const lost = await enabled();
    const { output } = await ply(['users', 'reset', lost.email]);
    const password = /only shown now: (\S+)/.exec(output)?.[1] ?? '';
    expect((await enter(lost.email, { password })).status).toBe(200);
    expect(await isIn(lost.client)).toBe(false);
  });
});
