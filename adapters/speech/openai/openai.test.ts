import { silence, transcriberConformance } from '../conformance.ts';
import { wavOf } from '../wav.ts';
import { openOpenAiTranscriber } from './openai.ts';
import { SpeechDouble, type Behaviour } from './test-server.ts';

/** No random pauses. */
const runtime = { now: () => Date.now(), random: () => 0 };
const calm = new AbortController().signal;
const noise = wavOf(Uint8Array.from({ length: 3 * 32_000 }, (_, index) => index % 251));

async function openDouble(seconds = 60) {
  const double = new SpeechDouble();
  const url = await double.start();
  const transcriber = openOpenAiTranscriber({
    url: `${url}/`,
    model: 'some-model',
    key: 'secret',
    languages: null,
    seconds,
    runtime,
  });
  return {
    double,
    transcriber,
    speech: { wav: noise, seconds: 3, language: 'en', words: ['four', 'queen', 'clubs'] },
    dispose: () => double.stop(),
  };
}

transcriberConformance('OpenAI-compatible server', () => openDouble());

describe('an OpenAI-compatible speech server', () => {
  let opened: Awaited<ReturnType<typeof openDouble>>;
  const hear = (fields: { wav?: Uint8Array; language?: string | null; signal?: AbortSignal } = {}) =>
    opened.transcriber.transcribe({ wav: noise, seconds: 3, language: null, signal: calm, ...fields });
  beforeEach(async () => {
    opened = await openDouble();
  });
  afterEach(async () => {
    await opened.transcriber.close();
    await opened.dispose();
  });

  it('is sent the sound with model, token, wished granularities, and the language where it is known', async () => {
    await hear({ language: 'de' });
    await hear();
    const granularities = ['word', 'segment'];
    expect(opened.double.seen).toEqual([
      {
        path: '/v1/audio/transcriptions',
        authorization: 'Bearer secret',
        samples: 96_000,
        fields: {
          model: ['some-model'],
          response_format: ['verbose_json'],
          'timestamp_granularities[]': granularities,
          language: ['de'],
        },
      },
      {
        path: '/v1/audio/transcriptions',
        authorization: 'Bearer secret',
        samples: 96_000,
        fields: {
          model: ['some-model'],
          response_format: ['verbose_json'],
          'timestamp_granularities[]': granularities,
        },
      },
    ]);
    expect(opened.transcriber.model).toEqual({ id: 'server:some-model', languages: null });
  });

  it.each<Behaviour>([
    { kind: 'status', status: 429 },
    { kind: 'status', status: 503 },
    { kind: 'status', status: 408 },
    { kind: 'hang up' },
    { kind: 'hang' },
  ])('is asked again after a passing failure: %j', async (behaviour) => {
    if (behaviour.kind === 'hang') {
      await opened.dispose();
      // Long enough for an answer of a busy machine.
      opened = await openDouble(1.5);
    }
    opened.double.next.push(behaviour);
    expect(await hear()).toHaveLength(1);
    expect(opened.double.seen).toHaveLength(2);
  });

  it('is left alone as long as it says', async () => {
    opened.double.next.push({ kind: 'status', status: 429, retryAfter: '1' });
    const before = performance.now();
    await hear();
    expect(performance.now() - before).toBeGreaterThan(950);
  });

  it.each([401, 403, 404, 413])('is not asked again after %d', async (status) => {
    opened.double.next.push({ kind: 'status', status });
    await expect(hear()).rejects.toMatchObject({
      name: 'TranscriptionFailure',
      code: 'transcription_refused',
      outcome: 'definite',
      message: expect.stringContaining(String(status)),
    });
    expect(opened.double.seen).toHaveLength(1);
  });

  it('is given up for a while after some attempts', async () => {
    opened.double.next.push(...Array.from({ length: 9 }, (): Behaviour => ({ kind: 'status', status: 500 })));
    await expect(hear()).rejects.toMatchObject({
      name: 'TranscriptionFailure',
      code: 'model_unavailable',
      outcome: 'temporary',
    });
    expect(opened.double.seen).toHaveLength(5);
  });

  it.each<Behaviour>([
    { kind: 'endless' },
    { kind: 'body', body: '<html>' },
    { kind: 'body', body: '[]' },
    { kind: 'body', body: '{"error":"none"}' },
  ])('is not believed for ever: %j', async (behaviour) => {
    opened.double.next.push(...Array.from({ length: 5 }, () => behaviour));
    await expect(hear()).rejects.toMatchObject({ code: 'model_unavailable', outcome: 'temporary' });
  });

  const formats = (): (string | undefined)[] => opened.double.seen.map(({ fields }) => fields['response_format']?.[0]);

  it('that knows no verbose answers is asked for plain ones after some times', async () => {
    opened.double.refusedFormats.add('verbose_json');
    expect(await hear({ language: 'en' })).toEqual([
      {
        text: 'Four, queen of clubs.',
        start: 0,
        end: 3,
        speaker: null,
        language: 'en',
        words: [],
        timingPrecision: 'segment',
      },
    ]);
    for (let piece = 2; piece <= 5; piece += 1) await hear();
    expect(formats()).toEqual(['verbose_json', 'json', 'verbose_json', 'json', 'verbose_json', 'json', 'json', 'json']);
  });

  it.each([400, 422])('that refuses one piece with %d is asked for verbose answers of the others', async (status) => {
    for (let piece = 1; piece <= 4; piece += 1) {
      opened.double.next.push({ kind: 'status', status });
      expect((await hear())[0]?.timingPrecision).toBe('segment');
      expect((await hear())[0]?.timingPrecision).toBe('word');
    }
  });

  it('that refuses plain answers too has refused the sound', async () => {
    opened.double.refusedFormats.add('verbose_json').add('json');
    await expect(hear({ wav: silence(1) })).rejects.toMatchObject({ code: 'transcription_refused' });
    expect(opened.double.seen).toHaveLength(2);
  });

  it('does not hold up closing, nor the end of a job', async () => {
    opened.double.next.push(
      { kind: 'status', status: 429, retryAfter: '20' },
      { kind: 'status', status: 429, retryAfter: '20' },
    );
    const stop = new AbortController();
    const stopped = expect(hear({ signal: stop.signal })).rejects.toThrow('not any more');
    const closed = expect(hear()).rejects.toMatchObject({ code: 'model_unavailable' });
    while (opened.double.seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = performance.now();
    stop.abort(new Error('not any more'));
    await stopped;
    await opened.transcriber.close();
    await closed;
    // Far from the twenty seconds that were to be waited.
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  it('that is not there is down, also soon after it heard something', async () => {
    await hear();
    await opened.dispose();
    await expect(opened.transcriber.ping()).resolves.toBeUndefined();
    await expect(hear()).rejects.toMatchObject({ code: 'model_unavailable' });
    await expect(opened.transcriber.ping()).rejects.toMatchObject({ code: 'model_unavailable' });
    await opened.double.start();
  });
});
