import { setTimeout as pause } from 'node:timers/promises';
import {
  TranscriptionFailure,
  type HeardSegment,
  type HeardSound,
  type Transcriber,
} from '../../adapters/speech/port.ts';
import { derivedKey } from '../../mixins/blocks/blocks.ts';
import { readTranscript } from '../../mixins/transcript/transcript.ts';
import { newRun } from '../../mixins/indexing/runs.ts';
import type { Asset } from '../../models/asset.ts';
import type { Segment, Sound } from '../../models/transcript.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { ChunkWorker } from './chunk-worker.ts';
import { Placement } from './placement.ts';
import { transcribeRevision } from './transcribe-revision.ts';

/** Transcribes each piece to the text of its bytes; counts calls and their maximum concurrency. */
class Parrot implements Transcriber {
  model: Transcriber['model'] = { id: 'parrot', languages: ['en'] };
  readonly absence = null;
  readonly asked: string[] = [];
  maxConcurrent = 0;
  now = 0;
  before: (text: string, sound: HeardSound) => Promise<void> = () => Promise.resolve();

  async transcribe(sound: HeardSound): Promise<HeardSegment[]> {
    const text = Buffer.from(sound.wav).toString('utf8');
    this.asked.push(text);
    this.maxConcurrent = Math.max(this.maxConcurrent, ++this.now);
    try {
      await this.before(text, sound);
      if (text === '') return [];
      const words = text
        .split(' ')
        .map((word, index) => ({ text: word, start: index * 0.5, end: index * 0.5 + 0.4, confidence: 0.5 }));
      return [
        { text, start: 0, end: words.at(-1)?.end ?? 0, speaker: null, language: 'en', words, timingPrecision: 'word' },
      ];
    } finally {
      this.now--;
    }
  }

  ping(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

describe('transcribing a recording', () => {
  let test: TestApp;
  let parrot: Parrot;
  let worker: ChunkWorker;
  let abandoned: string[];
  beforeEach(async () => {
    test = await testApp();
    parrot = new Parrot();
    test.app.speech = parrot;
    worker = new ChunkWorker(test.app, 2);
    abandoned = [];
  });
  afterEach(() => test.close());

  const asset = testAsset({
    kind: 'audio',
    filename: 'a.wav',
    run: { ...newRun('job', 1, 0), stage: 'transcribing', stageSeq: 2, token: 7 },
  });
  const keyOf = (name: string): string => derivedKey('organization', 'asset', 1, name);

  /** Stores pieces of ten seconds each. */
  async function lay(texts: readonly string[]): Promise<void> {
    const sound: Sound = {
      seconds: texts.length * 10,
      chunks: texts.map((_, index) => ({ name: `${index}.wav`, start: index * 10, end: index * 10 + 10 })),
    };
    for (const [index, text] of texts.entries()) await test.app.blobs.write(keyOf(`${index}.wav`), Buffer.from(text));
    await test.app.blobs.write(keyOf('sound.json'), Buffer.from(JSON.stringify(sound)));
  }

  function transcribe(fields: { asset?: Asset; signal?: AbortSignal; percents?: number[]; slots?: number } = {}) {
    const placement = new Placement(
      () => (fields.slots === 0 ? [] : [{ nodeId: 'here', slots: fields.slots ?? 2 }]),
      (_, request) => worker.transcribe(request),
    );
    return transcribeRevision(
      {
        app: test.app,
        placement,
        abandon: (recording) => {
          abandoned.push(recording);
          worker.abandon(recording);
        },
      },
      {
        asset: fields.asset ?? asset,
        signal: fields.signal ?? new AbortController().signal,
        progress: (percent) => fields.percents?.push(percent),
        setFailureOutbox: () => undefined,
      },
    );
  }

  async function transcript(): Promise<Segment[]> {
    const segments: Segment[] = [];
    for await (const segment of readTranscript(test.app.blobs, keyOf('transcript.ndjson'))) segments.push(segment);
    return segments;
  }

  async function stored(): Promise<string[]> {
    const names: string[] = [];
    for await (const { key } of test.app.blobs.list(keyOf(''))) names.push(key.slice(keyOf('').length));
    return names.sort();
  }

  it('stores its transcript in the order of time, counts its work, and removes the pieces', async () => {
    await lay(['one two', 'three', '', 'four five six']);
    const percents: number[] = [];
    parrot.before = () => pause(50);
    const { next, facts, outbox } = await transcribe({ percents });
    expect(next).toBe('embedding');
    expect((await transcript()).map(({ id, text, start }) => [id, text, start])).toEqual([
      ['1', 'one two', 0],
      ['2', 'three', 10],
      ['3', 'four five six', 30],
    ]);
    expect(outbox).toEqual([
      expect.objectContaining({ id: 'job:2:audio_hours', kind: 'usage', metric: 'audio_hours', quantity: 40_000 }),
    ]);
    expect(facts.warnings).toEqual([]);
    expect(await stored()).toEqual(['sound.json', 'transcript.ndjson']);
    expect([
      parrot.maxConcurrent,
      percents.at(-1),
      percents.every((percent, index) => percent >= (percents[index - 1] ?? 0)),
    ]).toEqual([2, 99, true]);
  });

  it('does not repeat pieces transcribed before a crash', async () => {
    await lay(['one', 'two', 'three', 'four']);
    parrot.before = async (text) => {
      if (text !== 'three') return;
      while ((await stored()).filter((name) => name.endsWith('.wav.ndjson')).length < 2) await pause(5);
      throw new TranscriptionFailure('model_unavailable', 'temporary', 'away');
    };
    await expect(transcribe()).rejects.toMatchObject({ code: 'model_unavailable', outcome: 'temporary' });
    expect(abandoned).toEqual(['job.7']);
    parrot.before = () => Promise.resolve();
    parrot.asked.length = 0;
    await transcribe();
    expect(parrot.asked).not.toContain('one');
    expect(parrot.asked).not.toContain('two');
    expect((await transcript()).map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four']);
  });

  it('only removes the pieces if a crash followed the storing of the transcript', async () => {
    await lay(['one', 'two']);
    await transcribe();
    await test.app.blobs.write(keyOf('1.wav'), Buffer.from('left over'));
    parrot.asked.length = 0;
    const { outbox } = await transcribe();
    expect(parrot.asked).toEqual([]);
    expect(outbox).toEqual([expect.objectContaining({ id: 'job:2:audio_hours', quantity: 20_000 })]);
    expect(await stored()).toEqual(['sound.json', 'transcript.ndjson']);
  });

  it('fails with a code if a piece crashes the transcriber repeatedly', async () => {
    await lay(['one', 'poison', 'three']);
    parrot.before = (text) =>
      text === 'poison'
        ? Promise.reject(new TranscriptionFailure('transcription_failed', 'definite', 'it died'))
        : Promise.resolve();
    await expect(transcribe()).rejects.toMatchObject({ code: 'transcription_failed', outcome: 'definite' });
    expect(parrot.asked.filter((text) => text === 'poison')).toHaveLength(2);
    await expect(transcript()).rejects.toMatchObject({ name: 'BlobNotFound' });
  });

  it('stops with its job, including pieces in progress', async () => {
    await lay(['one', 'two', 'three']);
    const stop = new AbortController();
    const ended: string[] = [];
    parrot.before = (text, { signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          ended.push(text);
          reject(new Error('ended'));
        }),
      );
    const working = expect(transcribe({ signal: stop.signal })).rejects.toThrow('cancelled');
    while (parrot.now < 2) await pause(5);
    stop.abort(new Error('cancelled'));
    await working;
    expect([ended.sort(), abandoned]).toEqual([['one', 'two'], ['job.7']]);
  });

  it('moves pieces to other processes when the process stops, without counting an attempt', async () => {
    await lay(['one']);
    parrot.before = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
    const first = worker.transcribe({
      organizationId: 'organization',
      assetId: 'asset',
      revision: 1,
      recording: 'r',
      name: '0.wav',
      seconds: 10,
      language: null,
    });
    while (parrot.now < 1) await pause(5);
    await worker.stop(100);
    expect(await first).toEqual({ state: 'elsewhere' });
    expect(
      await worker.transcribe({
        organizationId: 'organization',
        assetId: 'asset',
        revision: 1,
        recording: 'r',
        name: '0.wav',
        seconds: 10,
        language: null,
      }),
    ).toEqual({ state: 'elsewhere' });
  });

  /** Transcribes in the language that a text begins with, such as `de!`; in the expected one if that has no mark. */
  function hearLanguages(): { asked: { text: string; language: string | null; expected: string | null }[] } {
    const asked: { text: string; language: string | null; expected: string | null }[] = [];
    parrot.model = { id: 'parrot', languages: null, usesExpectedLanguage: true };
    parrot.transcribe = ({ wav, language, expected = null }) => {
      const text = Buffer.from(wav).toString('utf8');
      asked.push({ text, language, expected });
      const [guess = null, isCertain] = [/^[a-z]{2}/.exec(text)?.[0], text.includes('!')];
      const heard = language ?? (isCertain || expected === null ? guess : expected);
      const segment = { text, start: 0, end: 8, speaker: null, language: heard, words: [] };
      return Promise.resolve([{ ...segment, timingPrecision: 'segment' as const }]);
    };
    return { asked };
  }
  const languages = async (): Promise<(string | null)[]> => (await transcript()).map(({ language }) => language);

  it('is in the language of most of its longest pieces, except pieces that are certainly in another', async () => {
    await lay(['en', 'la', 'en', '??', 'en', 'th', 'fr!']);
    const { asked } = hearLanguages();
    await transcribe();
    expect(await languages()).toEqual(['en', 'en', 'en', 'en', 'en', 'en', 'fr']);
    expect(asked.slice(0, 5).map(({ expected }) => expected)).toEqual(Array(5).fill(null));
    expect(asked.slice(5).sort((one, other) => one.text.localeCompare(other.text))).toEqual([
      { text: '??', language: null, expected: 'en' },
      { text: 'fr!', language: null, expected: 'en' },
      { text: 'la', language: null, expected: 'en' },
      { text: 'th', language: null, expected: 'en' },
    ]);
  });

  it('has the same language if a crash came between its pieces', async () => {
    await lay(['en', 'la', 'en', 'en', 'en', 'th']);
    const { asked } = hearLanguages();
    const { transcribe: hear } = parrot;
    parrot.transcribe = (sound) =>
      Buffer.from(sound.wav).toString('utf8') === 'th'
        ? Promise.reject(new TranscriptionFailure('model_unavailable', 'temporary', 'away'))
        : hear(sound);
    await expect(transcribe()).rejects.toMatchObject({ code: 'model_unavailable' });
    parrot.transcribe = hear;
    asked.length = 0;
    await transcribe();
    expect(asked).toEqual([{ text: 'th', language: null, expected: 'en' }]);
    expect(await languages()).toEqual(Array(6).fill('en'));
  });

  it('is in the language that it was registered with', async () => {
    await lay(['en!', 'de!']);
    const { asked } = hearLanguages();
    await transcribe({ asset: { ...asset, language: 'de-AT' } });
    expect(asked.map(({ language, expected }) => [language, expected])).toEqual([
      ['de', null],
      ['de', null],
    ]);
  });

  it('has pieces in languages of their own if the transcriber takes no expected language', async () => {
    await lay(['en', 'la', 'en']);
    const { asked } = hearLanguages();
    parrot.model = { id: 'parrot', languages: null };
    await transcribe();
    expect(await languages()).toEqual(['en', 'la', 'en']);
    expect(asked).toHaveLength(3);
  });

  it('of silence is ready, and reports that no speech was found', async () => {
    await lay(['', '']);
    expect((await transcribe()).facts.warnings).toEqual([expect.objectContaining({ code: 'indexed_nothing' })]);
    await test.app.blobs.write(keyOf('slides.ndjson'), Buffer.from('{}\n'));
    expect((await transcribe()).facts.warnings).toEqual([]);
  });

  it('of an unsupported language is skipped, and reports it', async () => {
    await lay(['eins zwei']);
    const { facts, outbox } = await transcribe({ asset: { ...asset, language: 'de-AT' } });
    expect(facts.warnings.map(({ code }) => code)).toEqual(['speech_language_unknown', 'indexed_nothing']);
    expect([parrot.asked, await transcript(), outbox[0]]).toEqual([[], [], expect.objectContaining({ quantity: 0 })]);
    expect(
      (await transcribe({ asset: { ...asset, language: 'en-GB', run: { ...asset.run, revision: 1 } } })).next,
    ).toBe('embedding');
  });

  it('fails with a code if no process transcribes', async () => {
    await lay(['one']);
    await expect(transcribe({ slots: 0 })).rejects.toMatchObject({ code: 'speech_unavailable', outcome: 'definite' });
    await lay([]);
    expect((await transcribe({ slots: 0 })).next).toBe('embedding');
  });

  it('is retried if the list of its pieces is malformed', async () => {
    for (const sound of [
      '{}',
      '{"seconds":1,"chunks":[{"name":"../x","start":0,"end":1}]}',
      '{"seconds":1,"chunks":[{"name":"x","start":2,"end":1}]}',
      'x',
    ]) {
      await test.app.blobs.write(keyOf('sound.json'), Buffer.from(sound));
      await expect(transcribe()).rejects.toThrow();
    }
  });
});
