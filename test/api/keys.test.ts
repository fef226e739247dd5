import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AuditView } from '../../models/api.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { Client, content, expectRefused, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
let ply: CommandLine;
beforeAll(async () => {
  program = await startTestProgram();
  ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
});
afterAll(() => program.end());

/** The key in the output of a command. */
function shownKey(output: string): string {
  return /The key, which is only shown now: (ply_[\w-]{40,})$/.exec(output)?.[1] ?? `none in ${output}`;
}

async function idOf(label: string): Promise<string> {
  const line = (await ply(['keys'])).output.split('\n').find((each) => each.endsWith(`  ${label}`));
  return line?.split(' ')[0] ?? `no key ${label}`;
}

function withKey(key: string): Client {
  return new Client(program.url, program.organizationId, key);
}

async function isAccepted(client: Client): Promise<boolean> {
  return (await client.ask('GET', `${content}/capabilities`)).status === 200;
}

/**
 * Sends requests until the key is refused. Returns the start of the last accepted request, in milliseconds from now.
 */
async function lastAccepted(client: Client): Promise<number> {
  const began = performance.now();
  for (let last = 0; ;) {
    const asked = performance.now() - began;
    if (!(await isAccepted(client))) return last;
    last = asked;
    if (last > 60_000) throw new Error('the key is taken still');
  }
}

async function audit(): Promise<AuditView[]> {
  return (await program.admin.get<{ items: AuditView[] }>(200, 'GET', '/api/account-audit?limit=100')).items;
}

describe('keys that change while the program runs', () => {
  it('are refused within a second of their rotation, and the new ones accepted', async () => {
    const id = await idOf('First standard key');
    expect(await isAccepted(program.standard)).toBe(true);
    const { code, output } = await ply(['keys', 'rotate', id]);
    // The command may exit up to a second after the rotation.
    expect(await lastAccepted(program.standard)).toBeLessThan(1000);
    expectRefused(await program.standard.ask('GET', `${content}/capabilities`), [401, 'invalid_api_key']);
    expect(code).toBe(0);
    expect(output).toMatch(/ standard {2}active .* never expires {2}First standard key\n/);
    expect(await isAccepted(withKey(shownKey(output)))).toBe(true);
    // The command line used this key.
    expect(await ply(['jobs'])).toMatchObject({ code: 0, output: expect.stringMatching(/No files/) });
    expect((await audit())[0]).toMatchObject({
      action: 'api_key.rotated',
      resourceId: id,
      actor: { kind: 'plycdn', id: null, label: 'command line', prefix: null },
      detail: { prefix: 'ply_standard', scope: 'standard' },
    });
  });

  it('are limited to two, can be deactivated and reactivated, and expire', async () => {
    const id = await idOf('First standard key');
    const { output } = await ply(['keys', 'rotate', id]);
    const client = withKey(shownKey(output));
    expect(await isAccepted(client)).toBe(true);
    expect(await ply(['keys', 'create', 'standard'])).toMatchObject({
      code: 1,
      output: '',
      errors: expect.stringMatching(/^Two API keys/),
    });
    await ply(['keys', 'deactivate', id]);
    expect(await lastAccepted(client)).toBeLessThan(1000);
    const made = await ply(['keys', 'create', 'standard', 'for', 'a', 'day', '--expires', '1d']);
    expect(made.output).toMatch(/ standard {2}active .* expires \d{4}-\d\d-\d\dT[\d:.]+Z {2}for a day\n/);
    expect(await isAccepted(withKey(shownKey(made.output)))).toBe(true);
    expect(await ply(['keys', 'reactivate', id])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^Two API keys/),
    });
    await ply(['keys', 'deactivate', await idOf('for a day')]);
    expect((await ply(['keys', 'reactivate', id])).output).toMatch(/ active .*First standard key$/);
    await until(
      () => isAccepted(client),
      (taken) => taken,
    );
    expect((await audit()).slice(0, 6).map(({ action }) => action)).toEqual([
      'api_key.reactivated',
      'api_key.deactivated',
      'api_key.created',
      'api_key.deactivated',
      'api_key.rotated',
      'api_key.rotated',
    ]);
  });

  it('have clear error messages', async () => {
    for (const [words, sentence] of [
      [['keys', 'create', 'owner'], /^Missing the scope/],
      [['keys', 'create', 'standard', '--expires', 'soon'], /^soon is not a valid time/],
      [['keys', 'create', 'standard', '--expires', '2020-01-01'], /is in the past/],
      [['keys', 'rotate'], /^Missing the key id/],
      [['keys', 'rotate', 'nothing'], /^there is no key nothing$/],
      [['keys', 'sell'], /^Unknown command "keys sell"/],
    ] as const)
      expect(await ply(words)).toMatchObject({ code: 1, output: '', errors: expect.stringMatching(sentence) });
  });
});

describe('the account', () => {
  it('is shown, and accepts existing time zones', async () => {
    expect((await ply(['account'])).output).toMatch(
      new RegExp(`organization +${program.organizationId}\\ntime zone +UTC\\nplan +none`),
    );
    expect((await ply(['account', 'set', '--time-zone', 'pacific/auckland'])).output).toMatch(
      /^time zone +Pacific\/Auckland$/m,
    );
    expect(await ply(['account', 'set', '--time-zone', 'Mars/Olympus'])).toMatchObject({
      code: 1,
      errors: 'Mars/Olympus is no IANA time zone, such as Europe/Berlin',
    });
    expect(await ply(['account', 'set'])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^Missing what to set/),
    });
    expect((await ply(['account', 'show'])).output).toMatch(/^time zone +Pacific\/Auckland$/m);
  });
});

describe('a search as another reader', () => {
  it('finds what the reader finds, and is recorded in the audit', async () => {
    await withKey(program.admin.key).indexed({
      ...program.source.put('secret.txt', 'The vault holds the narwhal.'),
      filename: 'secret.txt',
      principals: ['group:staff'],
    });
    expect((await ply(['search', 'narwhal'])).output).toMatch(/^Nothing found/);
    expect((await ply(['search', 'narwhal', '--as', 'group:guests'])).output).toMatch(/^Nothing found/);
    expect((await ply(['search', 'narwhal', '--as', 'user:1', '--as', 'group:staff'])).output).toMatch(
      /^1\. secret\.txt, line 1 .*\n {3}The vault holds the \[narwhal\]/,
    );
    const rows = (await audit()).filter(({ action }) => action === 'dashboard.search_as');
    expect(rows.map(({ detail }) => detail['principals'])).toEqual([['user:1', 'group:staff'], ['group:guests']]);
    expect(rows[0]).toMatchObject({
      actor: { kind: 'plycdn', label: 'command line' },
      resourceKind: 'organization',
      resourceId: program.organizationId,
    });
    expect(JSON.stringify(rows)).not.toContain('narwhal');
  });

  it('is refused while the audit cannot be written', async () => {
    const database = new DatabaseSync(join(program.folder, 'data', 'records.db'));
    database.exec(
      "PRAGMA busy_timeout = 5000; CREATE TRIGGER broken BEFORE INSERT ON account_audit BEGIN SELECT RAISE(ABORT, 'the audit is broken'); END",
    );
    try {
      expect(await ply(['search', 'narwhal', '--as', 'group:staff'])).toEqual({
        code: 1,
        output: '',
        errors: expect.stringMatching(/^The search as another reader was not run/),
      });
      // Ordinary searches do not need the audit.
      expect((await program.admin.search({ query: 'narwhal', principals: ['group:staff'] })).items).toHaveLength(1);
    } finally {
      database.exec('DROP TRIGGER broken');
      database.close();
    }
    expect((await ply(['search', 'narwhal', '--as', 'group:staff'])).output).toMatch(/^1\. secret\.txt/);
    expect((await audit()).filter(({ action }) => action === 'dashboard.search_as')).toHaveLength(3);
  });

  it('reports missing arguments', async () => {
    expect(await ply(['search', 'narwhal', '--as'])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^Missing the principal/),
    });
    expect(await ply(['search', 'narwhal', '--as', ''])).toMatchObject({
      code: 1,
      errors: 'request.principals.0 must not be empty',
    });
    await program.process.stop();
    expect(await ply(['search', 'narwhal', '--as', 'group:staff'])).toMatchObject({
      code: 1,
      errors: 'the program is not running: start it with npm start',
    });
    await program.start();
  });
});

describe('dashboard routes', () => {
  const operations = [
    ['POST', '/api/api-keys'],
    ['GET', '/api/api-keys'],
    ['POST', '/api/api-keys/1/rotate'],
    ['POST', '/api/api-keys/1/deactivate'],
    ['POST', '/api/api-keys/1/reactivate'],
    ['DELETE', '/api/api-keys/1'],
    ['GET', '/api/people'],
    ['PUT', '/api/people/1'],
    ['POST', '/api/invitations'],
    ['DELETE', '/api/invitations/1'],
    ['GET', '/api/organization-profile'],
    ['PATCH', '/api/organization-profile'],
  ] as const;

  it('refuse requests with a key, and requests without one', async () => {
    const reader = withKey(shownKey((await ply(['keys', 'rotate', await idOf('First standard key')])).output));
    for (const [method, path] of operations) {
      const sent = method === 'GET' || method === 'DELETE' ? {} : { body: { label: 'mine', scope: 'admin' } };
      for (const client of [program.admin, reader])
        expectRefused(await client.ask(method, path, sent), [403, 'dashboard_session_required']);
      expectRefused(await program.admin.ask(method, path, { ...sent, headers: { Authorization: '' } }), [
        401,
        'api_key_required',
      ]);
    }
  });
});
