import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { encodeStageMessage, parseStageMessage } from '../../adapters/queue/message.ts';
import { startProgram, type Program } from '../../house/program.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { refusalOf } from '../../models/errors.ts';
import { freePort } from '../servers/ports.ts';
import { layDown, readFixture } from './fixture.ts';

/** A call between actors as the first version made it. */
interface RecordedCall {
  name: string;
  input: object;
}

const calls = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', 'first-version-calls.json'), 'utf8')) as RecordedCall[];

/** What may be refused, because what it asks for was done already when the data folder was written down. */
const doneBefore: { readonly [name: string]: readonly string[] } = {
  'registrar.register': ['source_version_already_registered'],
  'registrar.removeAsset': ['asset_not_found'],
};

describe('calls of the first version, read by this one', () => {
  let folder: string;
  let program: Program;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ply-messages-'));
    const fixture = readFixture('first-version.json', 'http://127.0.0.1:9');
    layDown(fixture, folder);
    program = await startProgram(readConfiguration({
      PLY_ROLES: 'accounts,ledger,registrar,searcher', PLY_DATA_DIR: folder, PLY_API_PORT: '0', PLY_METRICS_PORT: String(await freePort()), PLY_EMBEDDING_THREADS: '0', PLY_READER_THREADS: '1',
      PLY_PRIVATE_NETWORKS: 'allow', PLY_SECRET_KEY: fixture.secretKey,
    }), { log: pino({ level: 'silent' }) });
  }, 60_000);

  afterAll(async () => {
    await program.stop();
    rmSync(folder, { recursive: true });
  });

  it.each(calls.map((call) => [call.name, call] as const))('%s', async (name, call) => {
    const outcome = await program.broker.call<unknown, object>(call.name, call.input).then(
      () => 'answered',
      (error: unknown) => refusalOf(error)?.type ?? `failed: ${String(error)}`,
    );
    expect(['answered', ...(doneBefore[name] ?? [])]).toContain(outcome);
  });
});

describe('messages of the stage queue', () => {
  // As the first version wrote it.
  const first = '{"organizationId":"7b2f6f0c-5d0e-4c56-9c55-6f1f0a7d0001","assetId":"cce522ca-fd25-47b4-a668-02ded5d4285d","jobId":"9420acd0-f37f-482e-84ea-d4d87c5d3f2a","stageSeq":1,"attempt":1}';

  it('of the first version are read, and written so that it reads them', () => {
    const message = parseStageMessage(Buffer.from(first));
    expect(message).toEqual(JSON.parse(first));
    expect(JSON.parse(Buffer.from(encodeStageMessage(message ?? { organizationId: '', assetId: '', jobId: '', stageSeq: 0, attempt: 0 })).toString())).toMatchObject(JSON.parse(first) as object);
  });

  it('of a later version are read, whatever else they say', () => {
    expect(parseStageMessage(Buffer.from(first.replace('{', '{"place":"a later field",')))).toEqual(JSON.parse(first));
  });
});
