import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Accepted } from '../../models/api.ts';
import type { ConnectorView } from '../../models/connector.ts';
import { content, expectRefused, until } from '../api/support/client.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import { CallbackReceiver } from '../support/callback-receiver.ts';
import {
  doubleCourse,
  doubleEnrollment,
  doubleFile,
  startCanvasDouble,
  type CanvasDouble,
} from '../support/canvas-double.ts';
import { commandLine, type CommandLine } from '../support/command-line.ts';
import { SignedSource } from '../support/signed-source.ts';

const secret = 'a callback secret of more than thirty-two characters';
let program: TestProgram;
let ply: CommandLine;
let keyFile: string;
let canvas: CanvasDouble;
const source = new SignedSource();
const receiver = new CallbackReceiver(secret);

beforeAll(async () => {
  [canvas] = await Promise.all([startCanvasDouble(), source.start(), receiver.start()]);
  canvas.courses.push(
    doubleCourse(1, {
      enrollments: [doubleEnrollment(1, 'TeacherEnrollment')],
      files: [doubleFile(10, 'canvas.txt', 'Marmots whistle.')],
    }),
  );
  program = await startTestProgram({ PLY_PUBLIC_URL: 'https://ply.example.com', PLY_LOG_LEVEL: 'info' });
  keyFile = join(program.folder, 'data', 'secret.key');
  ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
});
afterAll(async () => {
  await program.end();
  await Promise.all([source.stop(), receiver.stop(), canvas.stop()]);
});

const made = (): string => randomBytes(32).toString('base64');
async function restartWith(...keys: string[]): Promise<void> {
  await program.process.kill();
  writeFileSync(keyFile, `${keys.join('\n')}\n`);
  await program.start();
}
async function reindexed(assetId: string, why: string): Promise<void> {
  const { jobId } = await program.standard.get<Accepted>(202, 'POST', `${content}/assets/${assetId}/reindex`, {
    headers: { 'Idempotency-Key': why },
  });
  await program.standard.reaches(jobId, 'ready');
}
const notify = async (address: string): Promise<number> => {
  const response = await fetch(`${program.url}${address}`, { method: 'POST' });
  await response.arrayBuffer();
  return response.status;
};

it('the secret key changes with open jobs and over kills, until the former one is removed', async () => {
  const { standard } = program;
  receiver.answerWith(({ sourceUrl }) => ({
    body: {
      url: source.signed(new URL(sourceUrl).pathname.slice(1)),
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    },
  }));
  await standard.get(200, 'PATCH', `${content}/settings`, {
    body: { callbackUrl: receiver.url, callbackSecret: secret },
  });
  const connector = await standard.get<ConnectorView>(201, 'POST', `${content}/connectors`, {
    body: { kind: 'canvas', name: 'canvas', config: { baseUrl: canvas.baseUrl }, credential: canvas.token },
  });
  const address = new URL(connector.notifyUrl ?? '').pathname;
  const synced = (before: string | null = null): Promise<ConnectorView> =>
    until(
      () => standard.get(200, 'GET', `${content}/connectors/${connector.connectorId}`),
      (now) => now.lastRunAt !== before && now.lastError === null && !now.syncPending,
      120_000,
    );
  const register = (name: string, more: object): Promise<Accepted> =>
    standard.register({ externalId: name, filename: name, ...source.put(name, `The words of ${name}.`), ...more });
  const done = await register('done.txt', { sourceAccess: { url: source.signed('done.txt') } });
  await standard.reaches(done.jobId, 'ready');

  // Jobs are open: their source does not respond while the program is killed.
  let release = (): void => undefined;
  source.held = new Promise((resolve) => {
    release = resolve;
  });
  const open = await Promise.all(
    ['one.txt', 'two.txt', 'three.txt'].map((name) => register(name, { sourceAccess: { url: source.signed(name) } })),
  );
  const renewed = await register('renewed.txt', { callbackKey: 'key' });
  const former = readFileSync(keyFile, 'utf8').trim();
  const current = made();
  await restartWith(current, former);
  release();
  for (const { jobId } of [...open, renewed]) await standard.reaches(jobId, 'ready');
  expect(receiver.rejected).toEqual([]);
  await program.process.kill();
  await program.start();
  expect(
    await until(
      async () => (await ply(['secrets'])).output,
      (said) => said.includes('Nothing is sealed with a former key any more'),
      120_000,
    ),
  ).toMatch(
    /^key [0-9a-f]{8} {2}seals {7}4 addresses of files, 1 callback secrets, 1 credentials of connectors\nkey [0-9a-f]{8} {2}former {6}nothing\n/,
  );

  // Storage events still arrive at the former key's address; the connector shows the new one.
  expect(await notify(address)).toBe(202);
  const shown = (await standard.get<ConnectorView>(200, 'GET', `${content}/connectors/${connector.connectorId}`))
    .notifyUrl;
  expect(shown).not.toBe(connector.notifyUrl);
  expect((await ply(['secrets'])).output).toContain(
    `connector ${connector.connectorId} of organization ${program.organizationId}, last at 20`,
  );
  expect(readFileSync(program.logFile, 'utf8')).toContain(
    'a storage event came to an address that a former secret key made',
  );
  const { lastRunAt } = await synced();
  await restartWith(current);
  expect(await notify(address)).toBe(401);
  expect(await notify(new URL(shown ?? '').pathname)).toBe(202);
  expect((await ply(['secrets'])).output).toMatch(
    /^key [0-9a-f]{8} {2}seals {7}4 addresses of files, 1 callback secrets, 1 credentials of connectors$/,
  );
  await reindexed(done.assetId, 'with the new key');
  await reindexed(renewed.assetId, 'with the new key, too');
  await synced(lastRunAt);
  expect(
    (
      await standard.search({ query: 'marmots', principals: [`canvas:${new URL(canvas.baseUrl).host}:user:1`] })
    ).items.map(({ filename }) => filename),
  ).toEqual(['canvas.txt']);
});

it('a wrong key is reported, and loses nothing', async () => {
  const right = readFileSync(keyFile, 'utf8').trim();
  await restartWith(made(), made());
  await until(
    () => Promise.resolve(readFileSync(program.logFile, 'utf8')),
    (log) => log.includes('secrets open with none of the secret keys'),
  );
  const { output, code } = await ply(['secrets']);
  expect({ code, output }).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /\nno key {5}opens {7}6: .*\nName the key that sealed them in PLY_FORMER_SECRET_KEYS/,
    ),
  });
  expectRefused(await program.standard.ask('POST', `${content}/notifications/${'A'.repeat(43)}`), [
    401,
    'invalid_callback',
  ]);
  // Former keys from the variable, and a command while the program is stopped.
  await program.process.kill();
  const [wrong = ''] = readFileSync(keyFile, 'utf8').split('\n');
  const beside = commandLine({
    PLY_DATA_DIR: join(program.folder, 'data'),
    PLY_SECRET_KEY: made(),
    PLY_FORMER_SECRET_KEYS: right,
  });
  expect((await beside(['secrets', 'reseal'])).output).toMatch(
    /^Resealed: 6\.\nkey [0-9a-f]{8} {2}seals {7}4 addresses of files/,
  );
  const refused = await commandLine({
    PLY_DATA_DIR: join(program.folder, 'data'),
    PLY_SECRET_KEY: wrong,
    PLY_FORMER_SECRET_KEYS: `${right},${wrong}`,
  })(['secrets']);
  expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('is given twice') });
  expect((await commandLine({ PLY_FORMER_SECRET_KEYS: 'c2VjcmV0' })(['secrets'])).errors).toContain(
    'PLY_FORMER_SECRET_KEYS: expected 32 bytes',
  );
});
