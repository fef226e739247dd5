import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findEndWithParent } from '../../../models/end-with-parent.ts';
import { gone, killParent } from '../../../test/support/killed-parent.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { silence, transcriberConformance } from '../conformance.ts';
import { samplesOf, sampleRate } from '../wav.ts';
import { findProgram } from './find-program.ts';
import { openPocketsphinx } from './pocketsphinx.ts';

const program = await findProgram('pocketsphinx_continuous', process.env['PATH']);
const sample = join(import.meta.dirname, '../../../../shared/data/samples/audio/002.wav');
let count = 0;
const runtime = { uuid: () => `id-${++count}` };
const calm = new AbortController().signal;

if (program !== null && existsSync(sample)) {
  const wav = readFileSync(sample);
  const seconds = samplesOf(wav).length / 2 / sampleRate;
  transcriberConformance('pocketsphinx', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-speech-'));
    return Promise.resolve({
      transcriber: openPocketsphinx({ program, folder: join(folder, 'work'), seconds: 60, runtime }),
      speech: { wav, seconds, language: 'en', words: ['queen', 'clubs'] },
      dispose: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
    });
  });
} else {
  skipWithReason(
    'transcriber: pocketsphinx',
    program === null ? 'pocketsphinx_continuous is not installed' : `there is no sample at ${sample}`,
  );
}

const wrapper = await findEndWithParent();

describe('the program that transcribes', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ply-speech-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a shell script in place of pocketsphinx over two seconds of silence. */
  async function run(script: string, options: { seconds?: number; signal?: AbortSignal; wav?: Uint8Array } = {}) {
    const path = join(folder, 'program');
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const transcriber = openPocketsphinx({
      program: path,
      folder: join(folder, 'work'),
      seconds: options.seconds ?? 10,
      runtime,
    });
    try {
      return await transcriber.transcribe({
        wav: options.wav ?? silence(2),
        seconds: 2,
        language: null,
        signal: options.signal ?? calm,
      });
    } finally {
      expect(existsSync(join(folder, 'work')) ? readdirSync(join(folder, 'work')) : []).toEqual([]);
      await transcriber.close();
    }
  }

  it('is given the samples alone, by a name that it can open, and nothing of our environment', async () => {
    const said = await run(
      'bytes=$(/bin/cat "$2" | /usr/bin/wc -c); names=$(/usr/bin/env | /bin/grep -c PLY_ ); echo "$bytes-$names-$4 0.100 0.200 0.500"',
    );
    expect(said.map(({ text }) => text)).toEqual(['64000-0-yes']);
  });

  it.each([
    ['ends with a fault', 'exit 1'],
    ['is killed', 'kill -9 $$'],
    [
      'prints without end',
      'while true; do echo "word 0.100 0.200 0.500 and more of the same, again and again and again and again and again"; done',
    ],
  ])('that %s fails its sound for good', async (_, script) => {
    await expect(run(script)).rejects.toMatchObject({
      name: 'TranscriptionFailure',
      code: 'transcription_failed',
      outcome: 'definite',
    });
  });

  it('that takes too long is ended', async () => {
    const began = performance.now();
    await expect(run('exec /bin/sleep 20', { seconds: 0.3 })).rejects.toMatchObject({
      code: 'transcription_failed',
      message: expect.stringContaining('more than'),
    });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('is ended with the work that it is for', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('not any more')), 200);
    const began = performance.now();
    await expect(run('exec /bin/sleep 20', { signal: stop.signal })).rejects.toThrow('not any more');
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  if (wrapper.length === 0)
    skipWithReason('the end of pocketsphinx with ours', 'setpriv of util-linux is not installed');
  else
    it('ends with ours, even by kill -9', async () => {
      const [program, said] = [join(folder, 'program'), join(folder, 'said')];
      writeFileSync(program, `#!/bin/sh\necho $$ > ${said}\nexec /bin/sleep 60\n`, { mode: 0o755 });
      const pid = await killParent(
        join(import.meta.dirname, 'testing/transcribe-forever.ts'),
        [program, join(folder, 'work')],
        () => (existsSync(said) ? readFileSync(said, 'utf8') : ''),
      );
      expect(await gone(pid)).toBe(true);
    });

  it('that is not there may come back', async () => {
    const transcriber = openPocketsphinx({
      program: join(folder, 'none'),
      folder: join(folder, 'work'),
      seconds: 5,
      runtime,
    });
    await expect(
      transcriber.transcribe({ wav: silence(1), seconds: 1, language: null, signal: calm }),
    ).rejects.toMatchObject({ code: 'model_unavailable', outcome: 'temporary' });
  });

  it('is found in the folders of PATH', async () => {
    writeFileSync(join(folder, 'tool'), '', { mode: 0o755 });
    writeFileSync(join(folder, 'text'), '', { mode: 0o644 });
    expect(await findProgram('tool', `/nowhere::.:${folder}`)).toBe(join(folder, 'tool'));
    expect(await findProgram('text', folder)).toBeNull();
    expect(await findProgram('tool', undefined)).toBeNull();
  });
});
