import type { HeardSound, Transcriber } from './port.ts';
import { sampleRate, wavOf } from './wav.ts';

/** An adapter under test. */
export interface TranscriberUnderTest {
  transcriber: Transcriber;
  /** A sound that says something, in a language that the transcriber knows, and words that it has to hear in it. */
  speech: { wav: Uint8Array; seconds: number; language: string; words: readonly string[] };
  /** Releases what the test set up besides the adapter, which the suite closes itself. */
  dispose(): Promise<void>;
}

const calm = new AbortController().signal;

/** A WAV file of silence. */
export function silence(seconds: number): Uint8Array {
  return wavOf(new Uint8Array(Math.round(seconds * sampleRate) * 2));
}

/** What every adapter of the speech port must do. `open` is called once for each test. */
export function transcriberConformance(name: string, open: () => Promise<TranscriberUnderTest>): void {
  describe(`transcriber: ${name}`, () => {
    let opened: TranscriberUnderTest;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened.transcriber.close();
      await opened.dispose();
    });
    const sound = (fields: Partial<HeardSound> = {}): HeardSound => ({
      wav: opened.speech.wav,
      seconds: opened.speech.seconds,
      language: opened.speech.language,
      signal: calm,
      ...fields,
    });

    it('says which model it is', () => {
      const { model, absence } = opened.transcriber;
      expect(absence).toBeNull();
      expect(model?.id).toMatch(/^[\x21-\x7e]{3,200}$/);
    });

    it.each([true, false])(
      'hears what is said, in order and inside the sound (language given: %s)',
      async (isGiven) => {
        const { transcriber, speech } = opened;
        const segments = await transcriber.transcribe(sound({ language: isGiven ? speech.language : null }));
        const text = segments
          .map((segment) => segment.text)
          .join(' ')
          .toLowerCase();
        for (const word of speech.words) expect(text).toContain(word);
        let last = 0;
        for (const segment of segments) {
          expect(segment.text.trim()).not.toBe('');
          expect(segment.language).toBe(speech.language);
          expect(segment.start).toBeGreaterThanOrEqual(last);
          expect(segment.end).toBeGreaterThanOrEqual(segment.start);
          expect(segment.end).toBeLessThanOrEqual(speech.seconds);
          expect(segment.timingPrecision).toBe(segment.words.length > 0 ? 'word' : 'segment');
          last = segment.start;
          let from = segment.start;
          for (const word of segment.words) {
            expect(word.text).toMatch(/^\S/);
            expect(word.start).toBeGreaterThanOrEqual(from);
            expect(word.end).toBeGreaterThanOrEqual(word.start);
            expect(word.end).toBeLessThanOrEqual(segment.end);
            if (word.confidence !== null) expect(word.confidence >= 0 && word.confidence <= 1).toBe(true);
            from = word.start;
          }
        }
      },
    );

    it('hears nothing in silence', async () => {
      expect(await opened.transcriber.transcribe(sound({ wav: silence(2), seconds: 2 }))).toEqual([]);
    });

    it('hears the same in several sounds at once', async () => {
      const texts = (await Promise.all([1, 2, 3].map(() => opened.transcriber.transcribe(sound())))).map((segments) =>
        segments.map((segment) => segment.text).join(' '),
      );
      expect(new Set(texts).size).toBe(1);
    });

    it('refuses for good what is no sound', async () => {
      await expect(
        opened.transcriber.transcribe(sound({ wav: Buffer.from('this is no sound at all') })),
      ).rejects.toMatchObject({ name: 'TranscriptionFailure', outcome: 'definite' });
    });

    it('ends immediately when it is cancelled', async () => {
      const stop = new AbortController();
      const working = opened.transcriber.transcribe(sound({ signal: stop.signal }));
      const ended = expect(working).rejects.toThrow('not any more');
      stop.abort(new Error('not any more'));
      await ended;
      await expect(opened.transcriber.transcribe(sound({ signal: stop.signal }))).rejects.toThrow('not any more');
    });

    it('answers a ping while it works, and refuses after it is closed', async () => {
      await expect(opened.transcriber.ping()).resolves.toBeUndefined();
      await opened.transcriber.close();
      await expect(opened.transcriber.transcribe(sound())).rejects.toMatchObject({
        name: 'TranscriptionFailure',
        outcome: 'temporary',
      });
    });
  });
}
