import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { speechModelFolder } from '../../../scripts/setup/paths.mjs';
import { gone, killParent } from '../../../test/support/killed-parent.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { silence, transcriberConformance } from '../conformance.ts';
import { samplesOf, sampleRate, wavOf } from '../wav.ts';
import { digestOfFile, modelFiles } from './manifest.ts';
import { openWhisper } from './whisper.ts';

const sample = join(import.meta.dirname, '../../../../shared/data/samples/audio/jfk.wav');
const calm = new AbortController().signal;
const hasModel = existsSync(join(speechModelFolder, 'model.json'));

if (hasModel && existsSync(sample)) {
  const wav = readFileSync(sample);
  const seconds = samplesOf(wav).length / 2 / sampleRate;
  transcriberConformance('whisper', async () => ({
    transcriber: await openWhisper({ folder: speechModelFolder, processes: 1, memoryMegabytes: 768, seconds: 120 }),
    speech: { wav, seconds, language: 'en', words: ['my fellow americans', 'ask not what your country'] },
    dispose: () => Promise.resolve(),
  }));
} else {
  skipWithReason('transcriber: whisper', hasModel ? `there is no sample at ${sample}` : 'there is no speech model');
}

/**
 * Noise of a fixed generator: white; brown, where each sample adds to the one before; or pink, the mean of noises that
 * change every sample, every second one, every fourth and so on.
 */
function noise(seconds: number, color: 'white' | 'brown' | 'pink'): Uint8Array {
  let [state, value] = [12_345, 0];
  const octaves = new Float32Array(12);
  const white = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 2 ** 30 - 1;
  };
  const pink = (at: number): number => {
    octaves.forEach((_, index) => {
      if (at % 2 ** index === 0) octaves[index] = white();
    });
    return octaves.reduce((sum, octave) => sum + octave, 0) / octaves.length;
  };
  const samples = Int16Array.from({ length: seconds * sampleRate }, (_, at) => {
    if (color === 'brown') value = 0.98 * value + 0.1 * white();
    else value = color === 'pink' ? pink(at) : white();
    return value * 8000;
  });
  return wavOf(new Uint8Array(samples.buffer));
}

/** Notes that fade, each a string with its overtones. */
function strings(seconds: number): Uint8Array {
  const samples = Int16Array.from({ length: seconds * sampleRate }, (_, at) => {
    const time = at / sampleRate;
    const since = time % 0.7;
    const hertz = 110 * 2 ** ((Math.floor(time / 0.7) % 5) / 6);
    const overtones = [1, 2, 3, 4].reduce(
      (sum, times) => sum + Math.sin(2 * Math.PI * hertz * times * since) / times,
      0,
    );
    return 6000 * Math.exp(-3 * since) * overtones;
  });
  return wavOf(new Uint8Array(samples.buffer));
}

const tone = wavOf(
  new Uint8Array(Int16Array.from({ length: 30 * sampleRate }, (_, at) => 8000 * Math.sin(at / 6)).buffer),
);

if (!hasModel) skipWithReason('sound without speech', 'there is no speech model');
else
  it('hears no word in 30 s of silence, noise, a tone and strings', async () => {
    const transcriber = await openWhisper({
      folder: speechModelFolder,
      processes: 1,
      memoryMegabytes: 768,
      seconds: 120,
    });
    try {
      for (const wav of [silence(30), noise(30, 'white'), noise(30, 'pink'), noise(30, 'brown'), tone, strings(30)])
        expect(await transcriber.transcribe({ wav, seconds: 30, language: null, signal: calm })).toEqual([]);
    } finally {
      await transcriber.close();
    }
  });

const clip = join(import.meta.dirname, '../../../../shared/data/samples/audio/003.wav');
if (!hasModel || !existsSync(clip))
  skipWithReason('sound after a short sentence', 'there is no speech model or sample');
else
  it('hears what follows a short sentence, where the model ends its text early', async () => {
    const transcriber = await openWhisper({
      folder: speechModelFolder,
      processes: 1,
      memoryMegabytes: 768,
      seconds: 120,
    });
    try {
      const parts = [
        samplesOf(readFileSync(clip)),
        new Uint8Array(0.4 * sampleRate * 2),
        samplesOf(readFileSync(sample)),
      ];
      const wav = wavOf(Buffer.concat(parts));
      const seconds = (wav.length - 44) / 2 / sampleRate;
      const segments = await transcriber.transcribe({ wav, seconds, language: 'en', signal: calm });
      const text = segments.map((segment) => segment.text).join(' ');
      expect(text).toMatch(/of clubs.*my fellow Americans.*ask what you can do for your country/s);
      const last = segments.at(-1);
      expect(Math.abs((last?.end ?? 0) - seconds)).toBeLessThan(1);
    } finally {
      await transcriber.close();
    }
  });

describe('the processes that transcribe', () => {
  const program = join(import.meta.dirname, 'testing/fake-child.ts');
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'ply-whisper-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** A model folder whose name says what the process does. */
  async function folderFor(behaviour: string): Promise<string> {
    const folder = mkdtempSync(join(root, 'model-'));
    const named = `${folder}-${behaviour}`;
    mkdirSync(named);
    for (const file of modelFiles) writeFileSync(join(named, file), file);
    const sha256 = Object.fromEntries(
      await Promise.all(modelFiles.map(async (file) => [file, await digestOfFile(join(named, file))] as const)),
    );
    writeFileSync(join(named, 'model.json'), JSON.stringify({ name: 'fake', languages: null, sha256 }));
    return named;
  }
  const sound = (signal = calm) => ({ wav: silence(1), seconds: 1, language: 'de', signal });

  it('are as many as they may be, get what they need alone, and are used again', async () => {
    const transcriber = await openWhisper({
      folder: await folderFor('good'),
      program,
      processes: 2,
      memoryMegabytes: 768,
      seconds: 60,
    });
    const heard = await Promise.all(Array.from({ length: 6 }, () => transcriber.transcribe(sound())));
    const texts = heard.map(([segment]) => segment?.text ?? '');
    expect(new Set(texts.map((text) => text.split('-')[0])).size).toBe(2);
    for (const text of texts) {
      expect(text).toMatch(/^\d+-16000-de-/);
      expect(text).not.toMatch(/PATH|HOME|PLY_/);
    }
    await transcriber.close();
    for (const text of texts) expect(await gone(Number.parseInt(text, 10))).toBe(true);
  });

  it('end when they have nothing to do, and start again', async () => {
    const folder = await folderFor('good');
    const transcriber = await openWhisper({
      folder,
      program,
      processes: 1,
      memoryMegabytes: 768,
      seconds: 60,
      idleMs: 50,
    });
    const pid = Number.parseInt((await transcriber.transcribe(sound()))[0]?.text ?? '', 10);
    expect(await gone(pid)).toBe(true);
    expect(Number.parseInt((await transcriber.transcribe(sound()))[0]?.text ?? '', 10)).not.toBe(pid);
    await transcriber.close();
  });

  it.each([
    ['crashing', { code: 'transcription_failed', outcome: 'definite' }],
    ['failing', { code: 'transcription_failed', outcome: 'definite', message: 'this sound fails' }],
    ['unusable', { code: 'model_unavailable', outcome: 'temporary' }],
  ])('that are %s fail their sound', async (behaviour, failure) => {
    const transcriber = await openWhisper({
      folder: await folderFor(behaviour),
      program,
      processes: 1,
      memoryMegabytes: 768,
      seconds: 60,
    });
    await expect(transcriber.transcribe(sound())).rejects.toMatchObject({ name: 'TranscriptionFailure', ...failure });
    await transcriber.close();
  });

  it('are killed when a piece takes too long or is cancelled, and free their slot', async () => {
    const folder = await folderFor('slow');
    const transcriber = await openWhisper({ folder, program, processes: 1, memoryMegabytes: 768, seconds: 1 });
    await expect(transcriber.transcribe(sound())).rejects.toMatchObject({
      code: 'transcription_failed',
      message: expect.stringContaining('more than'),
    });
    const stop = new AbortController();
    const [working, waiting] = [transcriber.transcribe(sound(stop.signal)), transcriber.transcribe(sound(stop.signal))];
    const ended = Promise.all([
      expect(working).rejects.toThrow('not any more'),
      expect(waiting).rejects.toThrow('not any more'),
    ]);
    stop.abort(new Error('not any more'));
    await ended;
    await transcriber.close();
  });

  it('are killed when they take more memory than they may, and the next piece gets another one', async () => {
    const folder = await folderFor('greedy');
    const transcriber = await openWhisper({ folder, program, processes: 1, memoryMegabytes: 256, seconds: 60 });
    for (const piece of [sound(), sound()])
      await expect(transcriber.transcribe(piece)).rejects.toMatchObject({
        code: 'transcription_failed',
        message: 'a piece took more than 256 MB of memory',
      });
    await transcriber.close();
  });

  it('end with ours, even by kill -9', async () => {
    const pid = await killParent(join(import.meta.dirname, 'testing/transcribe-forever.ts'), [
      program,
      await folderFor('slow'),
    ]);
    expect(await gone(pid)).toBe(true);
  });

  it('are not started from a folder whose files are others', async () => {
    const folder = await folderFor('good');
    writeFileSync(join(folder, 'decoder.onnx'), 'another');
    await expect(openWhisper({ folder, program, processes: 1, memoryMegabytes: 768, seconds: 60 })).rejects.toThrow(
      'decoder.onnx is not',
    );
  });
});
