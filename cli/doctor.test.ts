import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration } from '../models/configuration/configuration.ts';
import {
  confinementFinding,
  doctor,
  folderFinding,
  modelFinding,
  nodeFinding,
  readinessFindings,
  speechFinding,
  toolFindings,
} from './doctor.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('doctor', () => {
  it('checks the version of Node', () => {
    expect(nodeFinding('24.1.0')).toEqual({ state: 'ok', what: 'Node 24.1.0' });
    expect(nodeFinding('20.20.2')).toMatchObject({ state: 'broken', fix: 'npm ci --include=optional' });
  });

  it('reports how to install an embedding model', () => {
    const without = readConfiguration({ PLY_EMBEDDING_MODEL: join(folder, 'none') });
    expect(modelFinding(without, () => true)).toMatchObject({
      state: 'degraded',
      fix: 'unset PLY_EMBEDDING_MODEL && npm start',
    });
    mkdirSync(join(folder, 'model'));
    writeFileSync(join(folder, 'model/model.json'), '{}');
    expect(modelFinding(readConfiguration({ PLY_EMBEDDING_MODEL: join(folder, 'model') }), () => true)).toMatchObject({
      state: 'ok',
    });
    expect(
      modelFinding(readConfiguration({ PLY_EMBEDDINGS_URL: 'https://user:secret@models.example/v1' }), () => true),
    ).toEqual({ state: 'ok', what: 'embeddings come from https://models.example/v1' });
  });

  it('says what transcribes speech', () => {
    const model = join(folder, 'speech');
    const found = (environment: Record<string, string> = {}, hasPip = true) =>
      speechFinding(readConfiguration(environment), model, () => hasPip);
    expect(found()).toEqual({ state: 'degraded', what: expect.stringContaining('no speech model'), fix: 'npm start' });
    expect(found({}, false).fix).toContain('python3-pip');
    const preparation = `${model}.preparation.json`;
    writeFileSync(preparation, JSON.stringify({ pid: process.pid, detail: 'fetching part 2' }));
    expect(found()).toEqual({ state: 'degraded', what: 'the speech model is on its way: fetching part 2' });
    writeFileSync(preparation, JSON.stringify({ pid: null, detail: 'no network' }));
    expect(found().what).toContain('(no network)');
    mkdirSync(model);
    writeFileSync(join(model, 'model.json'), '{}');
    expect(found()).toEqual({ state: 'ok', what: `speech model in ${model}` });
    expect(found({ PLY_SPEECH_URL: 'https://user:secret@speech.example/v1' }).what).toContain('https://speech.example');
    expect(found({ PLY_LOCAL_TRANSCRIBER: 'pocketsphinx' }).what).toContain('pocketsphinx');
    expect(found({ PLY_TRANSCRIBER_WORKERS: '0' }).what).toContain('no speech');
  });

  it('says which programs of the system are missing, and what for', () => {
    mkdirSync(join(folder, 'programs'));
    writeFileSync(join(folder, 'programs/ffmpeg'), '', { mode: 0o755 });
    expect(toolFindings({ PATH: join(folder, 'programs'), PLY_SPEECH_URL: 'http://speech.example' })).toEqual([
      { state: 'ok', what: 'ffmpeg' },
      { state: 'ok', what: 'pocketsphinx_continuous is not needed' },
      {
        state: 'degraded',
        what: 'no tesseract: text on screens is not read',
        fix: 'apt-get install tesseract-ocr tesseract-ocr-eng',
      },
    ]);
  });

  it('reports whether parsers can reach the network', () => {
    expect(confinementFinding({ network: 'user-namespace', used: ['prlimit', 'unshare'] })).toMatchObject({
      state: 'ok',
    });
    expect(confinementFinding({ network: 'none', used: ['prlimit'] })).toEqual({
      state: 'degraded',
      what: expect.stringContaining('parsers can reach the network'),
      fix: expect.stringContaining('user namespaces'),
    });
  });

  it('checks that the data folder is writable', async () => {
    expect(await folderFinding(readConfiguration({ PLY_DATA_DIR: join(folder, 'data') }))).toMatchObject({
      what: expect.stringMatching(/data: .* GiB free$/),
    });
    // A new one is closed to other users.
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    chmodSync(join(folder, 'data'), 0o755);
    expect(await folderFinding(readConfiguration({ PLY_DATA_DIR: join(folder, 'data') }))).toEqual({
      state: 'broken',
      what: `data folder ${join(folder, 'data')}: other users of this machine can read it (mode 0755)`,
      fix: `chmod -R go= ${join(folder, 'data')}`,
    });
    writeFileSync(join(folder, 'a-file'), '');
    chmodSync(join(folder, 'a-file'), 0o400);
    expect(await folderFinding(readConfiguration({ PLY_DATA_DIR: join(folder, 'a-file/data') }))).toMatchObject({
      state: 'broken',
      fix: expect.stringContaining('chown'),
    });
  });

  it('names the server of an unavailable part, without its password', () => {
    const configuration = readConfiguration({ PLY_REDIS_URL: 'redis://user:secret@counters.example:6379' });
    const findings = readinessFindings(configuration, 'http://127.0.0.1:3000', {
      ready: true,
      parts: {
        records: { state: 'up' },
        counters: { state: 'down', detail: 'no answer' },
        embeddings: { state: 'off', detail: 'no model' },
        confinement: { state: 'off', detail: 'no namespaces' },
      },
    });
    expect(findings).toEqual([
      { state: 'ok', what: 'the program at http://127.0.0.1:3000 is ready' },
      { state: 'ok', what: 'records: up' },
      {
        state: 'broken',
        what: 'counters: down (no answer)',
        fix: 'check that PLY_REDIS_URL=redis://counters.example:6379 answers',
      },
      { state: 'degraded', what: 'embeddings: off (no model)', fix: 'npm start' },
      {
        state: 'degraded',
        what: 'confinement: off (no namespaces)',
        fix: expect.stringContaining('user namespaces'),
      },
    ]);
  });

  it('reports a program that is not ready', () => {
    const findings = readinessFindings(readConfiguration({}), 'http://127.0.0.1:3000', {
      ready: false,
      parts: { records: { state: 'down', detail: 'disk' } },
    });
    expect(findings).toEqual([
      {
        state: 'broken',
        what: 'the program at http://127.0.0.1:3000 is not ready',
        fix: 'curl http://127.0.0.1:3000/health/ready',
      },
      { state: 'broken', what: 'records: down (disk)' },
    ]);
  });

  it('reports a passage index that is being recovered', () => {
    const findings = readinessFindings(readConfiguration({}), 'http://127.0.0.1:3000', {
      ready: true,
      parts: {
        passages: { state: 'up' },
        index: { state: 'recovering', detail: 'the passage index was lost: 12 files so far' },
      },
    });
    expect(findings.slice(1)).toEqual([
      { state: 'ok', what: 'passages: up' },
      { state: 'degraded', what: 'index: recovering (the passage index was lost: 12 files so far)' },
    ]);
  });

  it('reports how to start the program', async () => {
    const said = await doctor(
      readConfiguration({ PLY_DATA_DIR: join(folder, 'data'), PLY_API_URL: 'http://127.0.0.1:9' }),
    );
    expect(said.hasFailed).toBe(true);
    expect(said.text).toMatch(/broken {4}no program answers at http:\/\/127\.0\.0\.1:9 .*\n {10}to fix it: npm start$/);
  });
});
