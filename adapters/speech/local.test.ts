import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { absentTranscriber } from './absent.ts';
import { silence } from './conformance.ts';
import { LocalTranscriber } from './local.ts';
import type { HeardSegment, Transcriber } from './port.ts';
import { preparationFile, readPreparation } from './preparation.ts';

const segment: HeardSegment = {
  text: 'heard',
  start: 0,
  end: 1,
  speaker: null,
  language: 'en',
  words: [],
  timingPrecision: 'segment',
};
const sound = { wav: silence(1), seconds: 1, language: null, signal: new AbortController().signal };
const log = { info: () => undefined, warn: () => undefined };
/** A process id that no process has. */
const noProcess = 2 ** 22 + 1;

function transcriberOf(id: string, languages: string[] | null): Transcriber {
  return {
    model: { id, languages },
    absence: null,
    transcribe: () => Promise.resolve([{ ...segment, text: id }]),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ply-local-'));
  folder = join(root, 'model');
});
afterEach(() => rmSync(root, { recursive: true }));

function installModel(): void {
  mkdirSync(folder);
  writeFileSync(join(folder, 'model.json'), '{}');
}

const report = (detail: string, pid: number | null): void =>
  writeFileSync(preparationFile(folder), JSON.stringify({ pid, detail }));

function open(openModel = (): Promise<Transcriber> => Promise.resolve(transcriberOf('model', null))) {
  const openSubstitute = (): Promise<Transcriber> => Promise.resolve(transcriberOf('substitute', ['en']));
  return LocalTranscriber.open({ folder, openModel, openSubstitute, pollMs: 5, log });
}

describe('the set-up of a model', () => {
  it('says what it does until it is done, and why it failed', () => {
    expect(readPreparation(folder)).toBeNull();
    report('fetching', process.pid);
    expect(readPreparation(folder)).toEqual({ state: 'running', detail: 'fetching' });
    report('no network', null);
    expect(readPreparation(folder)).toEqual({ state: 'failed', detail: 'no network' });
    report('fetching', noProcess);
    expect(readPreparation(folder)).toEqual({ state: 'failed', detail: 'the set-up ended while fetching' });
  });
});

describe('the transcriber of this machine', () => {
  it('is the model where it is there', async () => {
    installModel();
    const transcriber = await open();
    expect([transcriber.model?.id, transcriber.notice]).toEqual(['model', null]);
    expect((await transcriber.transcribe(sound))[0]?.text).toBe('model');
    await transcriber.close();
  });

  it('waits for a model that is being fetched, and says so', async () => {
    report('fetching part 1', process.pid);
    const transcriber = await open();
    expect(transcriber.model).not.toBeNull();
    expect(transcriber.notice).toEqual({ state: 'preparing', detail: expect.stringContaining('fetching part 1') });
    const heard = transcriber.transcribe(sound);
    const stop = new AbortController();
    const given = expect(transcriber.transcribe({ ...sound, signal: stop.signal })).rejects.toThrow('cancelled');
    stop.abort(new Error('cancelled'));
    await given;
    installModel();
    expect((await heard)[0]?.text).toBe('model');
    expect([transcriber.model?.id, transcriber.notice]).toEqual(['model', null]);
    await transcriber.close();
  });

  it('is the substitute if the model is missing or unusable, and says why', async () => {
    report('no network', null);
    const without = await open();
    expect(without.model?.id).toBe('substitute');
    expect(without.notice).toEqual({ state: 'substitute', detail: expect.stringContaining('no network') });
    await without.close();
    installModel();
    const damaged = await open(() => Promise.reject(new Error('its digest differs')));
    expect(damaged.model?.id).toBe('substitute');
    expect(damaged.notice).toEqual({ state: 'substitute', detail: expect.stringContaining('cannot be used') });
    await damaged.close();
  });

  it('refuses for now what the substitute does not know, if it replaced the model meanwhile', async () => {
    report('fetching', process.pid);
    const transcriber = await open();
    const heard = expect(transcriber.transcribe({ ...sound, language: 'de' })).rejects.toMatchObject({
      code: 'model_unavailable',
      outcome: 'temporary',
    });
    report('no network', null);
    await heard;
    await transcriber.close();
  });

  it('says why there is none where there is no substitute either', async () => {
    const openSubstitute = (): Promise<Transcriber> => Promise.resolve(absentTranscriber('pocketsphinx is missing'));
    const openModel = (): Promise<Transcriber> => Promise.reject(new Error('not called'));
    const transcriber = await LocalTranscriber.open({ folder, openModel, openSubstitute, log });
    expect(transcriber.model).toBeNull();
    expect(transcriber.absence).toMatch(/no speech model.*; pocketsphinx is missing/);
    await transcriber.close();
  });

  it('lets go of those who wait when it is closed', async () => {
    report('fetching', process.pid);
    const transcriber = await open();
    const heard = expect(transcriber.transcribe(sound)).rejects.toMatchObject({ outcome: 'temporary' });
    await transcriber.close();
    await heard;
  });
});
