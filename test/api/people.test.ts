import { randomUUID } from 'node:crypto';
import { join as joined } from 'node:path';
import type { AuditView, NewInvitationView, PersonView } from '../../models/api.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { content, expectRefused, type ErrorBody } from './support/client.ts';
import { cookieOf, join, personPassword, post, type TestPerson } from './support/person.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { owner as ownerUser, ownerEnvironment, SessionClient, signIn } from './support/session.ts';

const people = '/api/dashboard/people';
const invitations = '/api/dashboard/invitations';
const invitation = '/api/dashboard/invitation';
const acceptance = `${invitation}/acceptance`;
const unknown = '00000000-0000-4000-8000-000000000000';

let program: TestProgram;
let ply: CommandLine;
let owner: SessionClient;
beforeAll(async () => {
  program = await startTestProgram(ownerEnvironment);
  ply = commandLine({ PLY_DATA_DIR: joined(program.folder, 'data') });
  owner = await signIn(program);
});
afterAll(() => program.end());

const invite = (email: string, role = 'reader', client = owner): Promise<NewInvitationView> =>
  client.get(201, 'POST', invitations, { body: { email, role } });
const change = (client: SessionClient, userId: string, body: object) =>
  client.ask<PersonView & ErrorBody>('PATCH', `${people}/${userId}`, { body });
const shelf = { body: { externalId: 'shelf', name: 'Shelf' } };
const address = (): string => `${randomUUID()}@example.com`;
const mayRead = async ({ client }: TestPerson): Promise<boolean> =>
  (await client.ask('GET', `${content}/capabilities`)).status === 200;

describe('an invitation', () => {
  it('is shown once, can be read by its holder, and makes a person who is signed in', async () => {
    const email = address();
    const made = await invite(email, 'editor');
    expect(made).toMatchObject({ email, role: 'editor', token: expect.stringMatching(/^[\w-]{65}$/) });
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(7 * 86_400_000);
    const { token, ...shown } = made;
    const listed = await owner.get<{ items: unknown[] }>(200, 'GET', invitations);
    expect(listed.items).toContainEqual(shown);
    expect(await post(program.url, invitation, { token })).toMatchObject({
      status: 200,
      body: { email, role: 'editor', organization: 'Organization', expiresAt: made.expiresAt },
    });
    const accepted = await post(program.url, acceptance, { token, password: personPassword });
    expect(accepted).toMatchObject({ status: 201, body: { email, organizationId: program.organizationId } });
    const client = new SessionClient(program.url, program.organizationId, cookieOf(accepted));
    expect(await client.get(200, 'GET', '/api/dashboard/session')).toMatchObject({ email, role: 'editor' });
    const { items } = await owner.get<{ items: PersonView[] }>(200, 'GET', people);
    expect(items.map(({ role }) => role).slice(0, 1)).toEqual(['owner']);
    expect(items.find((each) => each.email === email)).toEqual({
      userId: accepted.body['userId'],
      email,
      role: 'editor',
      isActive: true,
      secondFactor: false,
      createdAt: expect.stringMatching(/Z$/),
    });
  });

  it('is accepted once, also by several at the same time', async () => {
    const { token } = await invite(address());
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        post(program.url, acceptance, { token, password: `${personPassword} ${at}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const refused of answers.filter(({ status }) => status !== 201))
      expect(['invitation_not_found', 'email_address_taken']).toContain(refused.body['code']);
    expect(await post(program.url, acceptance, { token, password: personPassword })).toMatchObject({ status: 404 });
  });

  it('is refused when it was altered, revoked, or replaced by another', async () => {
    const email = address();
    const first = await invite(email);
    const second = await invite(email.toUpperCase());
    expect(await post(program.url, invitation, { token: first.token })).toMatchObject({
      status: 404,
      body: { code: 'invitation_not_found' },
    });
    await owner.get(204, 'DELETE', `${invitations}/${second.id}`);
    expectRefused(await owner.ask('DELETE', `${invitations}/${second.id}`), [404, 'invitation_not_found']);
    for (const token of [second.token, first.token, 'x', `${first.token}x`, 'A'.repeat(65)])
      expect(await post(program.url, acceptance, { token, password: personPassword })).toMatchObject({
        status: 404,
        body: { code: 'invitation_not_found' },
      });
  });

  it('is refused when its sender may no longer send it', async () => {
    const admin = await join(owner, 'admin');
    const { token } = await invite(address(), 'editor', admin.client);
    expect((await change(owner, admin.userId, { role: 'reader' })).status).toBe(200);
    expect(await post(program.url, acceptance, { token, password: personPassword })).toMatchObject({ status: 404 });
  });

  it('names the field at fault, and is refused for an address that the account has', async () => {
    for (const [body, field] of [
      [{ email: 'nobody', role: 'reader' }, 'email'],
      [{ email: address(), role: 'king' }, 'role'],
      [{ email: address() }, 'role'],
    ] as const)
      expectRefused(await owner.ask('POST', invitations, { body }), [422, 'validation_error', ['body', field]]);
    expectRefused(await owner.ask('POST', invitations, { body: { email: ownerUser.email, role: 'reader' } }), [
      409,
      'email_address_taken',
    ]);
    const { token } = await invite(address());
    expect(await post(program.url, acceptance, { token, password: 'short' })).toMatchObject({
      status: 422,
      body: { fields: ['body', 'password'] },
    });
    expect(
      await post(program.url, acceptance, { token, password: personPassword }, { Origin: 'https://evil.example' }),
    ).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
  });
});

describe('the rights of people', () => {
  it('are those of their role', async () => {
    const [reader, editor, admin] = [
      await join(owner, 'reader'),
      await join(owner, 'editor'),
      await join(owner, 'admin'),
    ];
    const tried = async ({ client }: TestPerson): Promise<number[]> =>
      Promise.all([
        client.ask('GET', `${content}/assets`).then(({ status }) => status),
        client.ask('POST', `${content}/search`, { body: { query: 'x' } }).then(({ status }) => status),
        client.ask('PUT', `${content}/collections/shelf`, shelf).then(({ status }) => status),
        client.ask('GET', '/api/sub-organizations').then(({ status }) => status),
        client.ask('GET', people).then(({ status }) => status),
        client.ask('GET', `${content}/storage-credentials`).then(({ status }) => status),
      ]);
    expect(await tried(reader)).toEqual([200, 200, 403, 403, 403, 403]);
    expect(await tried(editor)).toEqual([200, 200, 200, 403, 403, 403]);
    expect((await tried(admin)).filter((status) => status === 403)).toEqual([]);
    expectRefused(await reader.client.ask('PUT', `${content}/collections/shelf`, shelf), [403, 'role_not_sufficient']);
    expectRefused(await editor.client.ask('GET', '/api/account-audit'), [403, 'role_not_sufficient']);
  });

  it('are given by nobody who has less, and taken from nobody who has more', async () => {
    const [admin, other] = [await join(owner, 'admin'), await join(owner, 'reader')];
    expectRefused(await change(admin.client, other.userId, { role: 'owner' }), [403, 'role_not_sufficient']);
    expectRefused(await admin.client.ask('POST', invitations, { body: { email: address(), role: 'owner' } }), [
      403,
      'role_not_sufficient',
    ]);
    const { userId } = await owner.get<{ userId: string }>(200, 'GET', '/api/dashboard/profile');
    for (const body of [{ role: 'reader' }, { isActive: false }])
      expectRefused(await change(admin.client, userId, body), [403, 'role_not_sufficient']);
    expect((await change(admin.client, other.userId, { role: 'editor' })).body).toMatchObject({ role: 'editor' });
    expect((await change(admin.client, other.userId, {})).body).toMatchObject({ role: 'editor', isActive: true });
  });

  it('change at once, in sessions that go on', async () => {
    const person = await join(owner, 'editor');
    const create = () => person.client.ask('PUT', `${content}/collections/shelf`, shelf);
    expect((await create()).status).toBe(200);
    await change(owner, person.userId, { role: 'reader' });
    expect((await create()).status).toBe(403);
  });

  it('leave an account an owner, also when two owners remove each other at the same time', async () => {
    const { userId } = await owner.get<{ userId: string }>(200, 'GET', '/api/dashboard/profile');
    for (const body of [{ role: 'admin' }, { isActive: false }])
      expectRefused(await change(owner, userId, body), [409, 'last_owner']);
    const second = await join(owner, 'owner');
    const answers = await Promise.all([
      change(owner, second.userId, { role: 'admin' }),
      change(second.client, userId, { role: 'admin' }),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const winner = answers[0].status === 200 ? owner : second.client;
    await change(winner, answers[0].status === 200 ? second.userId : userId, { role: 'owner' });
    expect((await owner.ask('GET', people)).status).toBe(200);
    await change(owner, second.userId, { isActive: false });
  });

  it('refuse every API key, and ids of nobody', async () => {
    for (const client of [program.admin, program.standard])
      for (const [method, path] of [
        ['GET', people],
        ['GET', '/api/dashboard/profile'],
        ['GET', '/api/dashboard/whatever'],
        ['DELETE', '/api/dashboard/sessions'],
      ] as const)
        expectRefused(await client.ask(method, path), [403, 'dashboard_session_required']);
    expectRefused(await owner.ask('PATCH', `${people}/${unknown}`, { body: {} }), [404, 'person_not_found']);
    expectRefused(await owner.ask('GET', '/api/dashboard/whatever'), [404, 'not_found']);
  });

  it('do not reach into another account', async () => {
    await ply(['account', 'create', '--name', 'Other']);
    const email = address();
    const { output } = await ply(['users', 'password', email, '--account', 'Other']);
    const password = /only shown now: (\S+)/.exec(output)?.[1] ?? '';
    const started = await post(program.url, '/api/dashboard/session', { email, password });
    const foreign = new SessionClient(program.url, String(started.body['organizationId']), cookieOf(started));
    const mine = await join(owner, 'reader');
    expectRefused(await change(foreign, mine.userId, { isActive: false }), [404, 'person_not_found']);
    const waiting = await invite(address());
    expectRefused(await foreign.ask('DELETE', `${invitations}/${waiting.id}`), [404, 'invitation_not_found']);
    const { items } = await foreign.get<{ items: PersonView[] }>(200, 'GET', people);
    expect(items.map((each) => each.email)).toEqual([email]);
    expectRefused(await foreign.as(program.organizationId).ask('GET', people), [403, 'organization_forbidden']);
    const taken = await invite(email);
    expect(await post(program.url, acceptance, { token: taken.token, password: personPassword })).toMatchObject({
      status: 409,
      body: { code: 'email_address_taken' },
    });
  });
});

describe('a person who was deactivated', () => {
  it('is signed out at once and cannot sign in; sessions of before do not come back', async () => {
    const person = await join(owner, 'reader');
    expect(await mayRead(person)).toBe(true);
    await change(owner, person.userId, { isActive: false });
    expect(await mayRead(person)).toBe(false);
    const credentials = { email: person.email, password: personPassword };
    const refused = await post(program.url, '/api/dashboard/session', credentials);
    expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    await change(owner, person.userId, { isActive: true });
    expect(await mayRead(person)).toBe(false);
    expect((await post(program.url, '/api/dashboard/session', credentials)).status).toBe(200);
  });

  it('is let in by `ply users reset`, with a new password', async () => {
    const person = await join(owner, 'editor');
    await change(owner, person.userId, { isActive: false });
    const { output } = await ply(['users', 'reset', person.email]);
    const password = /only shown now: (\S+)/.exec(output)?.[1] ?? '';
    expect((await post(program.url, '/api/dashboard/session', { email: person.email, password })).status).toBe(200);
    expect((await ply(['users'])).output).toMatch(new RegExp(`editor {2}password {2}${person.email}`));
    expect((await ply(['users', 'reset', address()])).code).toBe(1);
  });
});

describe('the audit', () => {
  it('has each change of people, without what was given', async () => {
    const person = await join(owner, 'reader');
    await change(owner, person.userId, { role: 'editor' });
    await change(owner, person.userId, { isActive: false });
    await change(owner, person.userId, { isActive: true });
    const { items } = await owner.get<{ items: AuditView[] }>(200, 'GET', '/api/account-audit?limit=100');
    const about = items.filter(({ resourceId }) => resourceId === person.userId);
    expect(about.map(({ action }) => action)).toEqual([
      'person.reactivated',
      'person.deactivated',
      'person.role_changed',
      'person.joined',
    ]);
    expect(about[0]?.actor).toMatchObject({ kind: 'user', label: ownerUser.email });
    expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(['person.invited', 'session.started']));
    expect(JSON.stringify(items)).not.toContain(personPassword);
  });
});
