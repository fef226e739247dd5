import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startProgram, type Program } from '../../app/program.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { refusalOf } from '../../models/errors.ts';
import { freePort } from '../servers/ports.ts';
import { writeDataFolder, readFixture } from './fixture.ts';

/** A recorded call between actors of the first version. */
interface RecordedCall {
  name: string;
  input: object;
}

const calls = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures', 'first-version-calls.json'), 'utf8'),
) as RecordedCall[];

/** Calls that may be refused because they were completed before the fixture was written. */
const doneBefore: { readonly [name: string]: readonly string[] } = {
  'registrar.register': ['source_version_already_registered'],
  'registrar.removeAsset': ['asset_not_found'],
};

describe('calls of the first version', () => {
  let folder: string;
  let program: Program;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ply-messages-'));
    const fixture = readFixture('first-version.json', 'http://127.0.0.1:9');
    writeDataFolder(fixture, folder);
    program = await startProgram(
      readConfiguration({
        PLY_ROLES: 'accounts,ledger,registrar,connectors,searcher',
        PLY_PUBLIC_URL: 'https://ply.example.com',
        PLY_DATA_DIR: folder,
        PLY_API_PORT: '0',
        PLY_METRICS_PORT: String(await freePort()),
        PLY_EMBEDDING_THREADS: '0',
        PLY_READER_THREADS: '1',
        PLY_PRIVATE_NETWORKS: 'allow',
        PLY_SECRET_KEY: fixture.secretKey,
      }),
      { log: pino({ level: 'silent' }) },
    );
  });

  afterAll(async () => {
    await program.stop();
    rmSync(folder, { recursive: true });
  });

  const outcomeOf = (name: string, input: object): Promise<string> =>
    program.broker.call<unknown, object>(name, input).then(
      () => 'answered',
      (error: unknown) => refusalOf(error)?.type ?? `failed: ${String(error)}`,
    );

  it.each(calls.map((call) => [call.name, call] as const))('%s', async (name, call) => {
    expect(['answered', ...(doneBefore[name] ?? [])]).toContain(await outcomeOf(name, call.input));
  });

  it.each(calls.map((call) => [call.name, call] as const))('%s with fields of a later version', async (name, call) => {
    const { caller, ...input } = call.input as { caller?: object };
    const more = { form: 2, places: [{ in: 1 }] };
    expect(['answered', ...(doneBefore[name] ?? [])]).toContain(
      await outcomeOf(name, { ...more, ...input, ...(caller === undefined ? {} : { caller: { ...more, ...caller } }) }),
    );
  });

  it('a transcript call without readers returns open transcripts only', async () => {
    const { caller } = calls.find(({ name }) => name === 'registrar.readAsset')?.input as { caller: object };
    const { items } = await program.broker.call<{ items: { assetId: string; aclMode: string }[] }, object>(
      'registrar.listAssets',
      { caller, limit: 100, offset: 0 },
    );
    const outcomes = await Promise.all(
      items.map(async ({ assetId, aclMode }) => [
        aclMode,
        await outcomeOf('registrar.readTranscript', { caller, assetId }),
      ]),
    );
    expect(new Set(outcomes.map(([mode, outcome]) => `${mode}: ${outcome}`))).toEqual(
      new Set(['open: transcript_not_ready', 'restricted: asset_not_found']),
    );
  });

  it('a storage event call without a handshake requests a sync', async () => {
    const { caller } = calls.find(({ name }) => name === 'registrar.readAsset')?.input as { caller: object };
    const connector = {
      kind: 'canvas',
      name: 'earlier',
      source: { kind: 'canvas', config: { baseUrl: 'http://127.0.0.1:9' } },
      credential: 'a-token',
      schedule: 'manual',
      enabled: true,
      defaultAclMode: 'open',
      extractContentFromVideoFrames: null,
    };
    const { connectorId, notifyUrl } = await program.broker.call<
      { connectorId: string; notifyUrl: string | null },
      object
    >('connectors.create', { caller, connector });
    expect(await program.broker.call('connectors.notify', { token: notifyUrl?.split('/').at(-1) })).toEqual({
      accepted: true,
    });
    expect(await program.broker.call('connectors.read', { caller, connectorId })).toMatchObject({ syncPending: true });
  });
});
