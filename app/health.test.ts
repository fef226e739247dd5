import type { SpeechNotice, Transcriber } from '../adapters/speech/port.ts';
import { modelHealth, withoutReasons } from './health.ts';

it('a model is named, and what is said of it', async () => {
  const speech = (fields: Partial<Transcriber>): Transcriber => ({
    model: { id: 'whisper-base:1', languages: null },
    absence: null,
    transcribe: () => Promise.resolve([]),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
    ...fields,
  });
  const preparing: SpeechNotice = { state: 'preparing', detail: 'fetching part 1' };
  const substitute: SpeechNotice = { state: 'substitute', detail: 'there is no speech model' };
  expect(await modelHealth(speech({}))).toEqual({ state: 'up', detail: 'whisper-base:1' });
  expect(await modelHealth(speech({ notice: preparing }))).toEqual({ state: 'recovering', detail: 'fetching part 1' });
  expect(await modelHealth(speech({ notice: substitute }))).toEqual({
    state: 'up',
    detail: 'whisper-base:1: there is no speech model',
  });
  expect(await modelHealth(speech({ model: null, absence: 'none' }))).toEqual({ state: 'off', detail: 'none' });
  expect(await modelHealth(speech({ ping: () => Promise.reject(new Error('gone')) }))).toEqual({
    state: 'down',
    detail: 'gone',
  });
});

it('public health contains unavailable parts without their errors', () => {
  const report = withoutReasons({
    ready: false,
    parts: {
      records: { state: 'down', detail: 'connect ECONNREFUSED 10.0.0.5:27017' },
      speech: { state: 'off', detail: 'pocketsphinx is not installed (apt-get install pocketsphinx)' },
      passages: { state: 'up' },
    },
  });
  expect(report).toEqual({
    ready: false,
    parts: {
      records: { state: 'down', detail: 'it does not answer; the log says why' },
      speech: { state: 'off', detail: 'pocketsphinx is not installed (apt-get install pocketsphinx)' },
      passages: { state: 'up' },
    },
  });
  expect(
    withoutReasons({ ready: false, parts: { program: { state: 'down', detail: 'it is stopping' } } }).parts['program']
      ?.detail,
  ).toBe('it is stopping');
});
