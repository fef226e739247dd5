import { segmentsOf } from './segments.ts';
import { Tokens } from './tokens.ts';
import { parseSpeechManifest, speechModelId } from './manifest.ts';

const start = 50_258;
const special = {
  '<|endoftext|>': 50_257,
  '<|startoftranscript|>': start,
  '<|en|>': start + 1,
  '<|zh|>': start + 2,
  '<|transcribe|>': 50_359,
  '<|nospeech|>': 50_362,
  '<|notimestamps|>': 50_363,
};
/** GPT-2 writes a space as U+0120, and the bytes of other characters as visible ones. */
const pieces = [
  '\u0120Hello',
  ',',
  '\u0120"',
  'well',
  '\u0120ill',
  '-',
  'disposed',
  "'s",
  '.',
  'å',
  '¥',
  '½',
  '\u0120...',
];
const tokenizer = (fields: object = {}): string =>
  JSON.stringify({
    model: { vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])) },
    added_tokens: Object.entries(special).map(([content, id]) => ({ content, id })),
    ...fields,
  });
const ids = (...written: string[]): number[] => written.map((piece) => pieces.indexOf(piece));

describe('tokens', () => {
  const tokens = new Tokens(tokenizer());

  it('are words with the punctuation beside them, split at spaces alone', () => {
    const sentence = ids('\u0120Hello', ',', '\u0120ill', '-', 'disposed', "'s", '\u0120"', 'well', '.', '\u0120...');
    expect(tokens.words(sentence, 'en')).toEqual([
      { text: ' Hello,', first: 0, count: 2 },
      { text: " ill-disposed's", first: 2, count: 4 },
      { text: ' "well.', first: 6, count: 3 },
    ]);
  });

  it('are characters in languages without spaces, from as many tokens as a character takes', () => {
    const characters = ids('å', '¥', '½', 'å', '¥', '½', '.');
    expect(tokens.text(characters)).toBe('好好.');
    expect(tokens.words(characters, 'zh')).toEqual([
      { text: '好', first: 0, count: 3 },
      { text: '好.', first: 3, count: 4 },
    ]);
    expect(tokens.words(characters, 'en')).toEqual([{ text: '好好.', first: 0, count: 7 }]);
  });

  it('are found by their text, and languages by their code', () => {
    expect(tokens.idOf(' Hello')).toBe(0);
    expect(() => tokens.idOf(' none')).toThrow('no token');
    expect([...tokens.languages]).toEqual([
      ['en', start + 1],
      ['zh', start + 2],
    ]);
  });

  it('are refused where the file is none of a Whisper model', () => {
    expect(() => new Tokens('{}')).toThrow('no vocabulary');
    expect(() => new Tokens(tokenizer({ added_tokens: [] }))).toThrow('<|startoftranscript|>');
  });
});

describe('segments', () => {
  const word = (text: string, start: number, end: number) => ({ text, start, end, confidence: 0.9 });

  it('end with sentences and at long pauses, and short sentences stay together', () => {
    const words = [
      word(' Yes.', 0, 0.5),
      word(' It', 0.6, 0.9),
      word(' is', 1, 4.9),
      word(' "so".', 5, 5.4),
      word(' Ask', 5.5, 6),
      word(' not.', 7, 7.4),
      word(' Then', 8.1, 8.2),
      word(' more', 9.7, 10),
    ];
    const segments = segmentsOf({ language: 'en', words }, 9.9);
    expect(segments.map(({ text, start, end }) => [text, start, end])).toEqual([
      ['Yes. It is "so".', 0, 5.4],
      ['Ask not.', 5.5, 7.4],
      ['Then', 8.1, 8.2],
      ['more', 9.7, 9.9],
    ]);
    expect(segments[0]?.words.map(({ text }) => text)).toEqual(['Yes', 'It', 'is', 'so']);
    expect(segments[0]).toMatchObject({ language: 'en', speaker: null, timingPrecision: 'word' });
  });

  it('have no language where none was certain, and no spaces that the text has not', () => {
    expect(segmentsOf({ language: null, words: [word('好', 0, 1), word('好。', 1, 2)] }, 3)).toEqual([
      expect.objectContaining({ text: '好好。', language: null }),
    ]);
    expect(segmentsOf({ language: null, words: [] }, 3)).toEqual([]);
  });
});

describe('the manifest of a speech model', () => {
  const digest = 'a'.repeat(64);
  const sha256 = Object.fromEntries(
    ['encoder.onnx', 'decoder.onnx', 'config.json', 'tokenizer.json', 'vad.onnx'].map((name) => [name, digest]),
  );

  it('names the model, with its weights in the id', () => {
    const manifest = parseSpeechManifest(JSON.stringify({ name: 'whisper-base', languages: null, sha256 }));
    expect(speechModelId(manifest)).toMatch(/^whisper-base:[0-9a-f]{12}$/);
    const other = { ...manifest, sha256: { ...manifest.sha256, 'decoder.onnx': 'b'.repeat(64) } };
    expect(speechModelId(other)).not.toBe(speechModelId(manifest));
  });

  it('is refused where something is missing', () => {
    expect(() => parseSpeechManifest('[]')).toThrow('no object');
    expect(() => parseSpeechManifest(JSON.stringify({ languages: null, sha256 }))).toThrow('name');
    expect(() => parseSpeechManifest(JSON.stringify({ name: 'x', languages: 'en', sha256 }))).toThrow('languages');
    const without = { ...sha256, 'vad.onnx': 'short' };
    expect(() => parseSpeechManifest(JSON.stringify({ name: 'x', languages: null, sha256: without }))).toThrow(
      'vad.onnx',
    );
  });
});
