import { readFile } from 'node:fs/promises';
import { createExtractionPool } from './processes/pool.ts';
import { htmlReferenceText } from '../../formats/testing/html-reference.ts';
import { blocksIn } from './testing/pool.ts';
import { sampleDocuments, samplesFolder } from '../../formats/testing/samples.ts';
import { wordScores } from '../../formats/testing/word-f1.ts';

const samples = await sampleDocuments();
const knownCodes = [
  'ocr_required',
  'document_unreadable',
  'document_encrypted',
  'document_too_complex',
  'text_encoding_must_be_utf8',
];
if (samples.length === 0) process.stderr.write(`SKIPPED: no sample documents in ${samplesFolder}\n`);

(samples.length === 0 ? describe.skip : describe)('sample documents', () => {
  const pool = createExtractionPool({ slots: 2, memoryMegabytes: 512, seconds: 200, readableFolders: [samplesFolder] });
  afterAll(() => pool.close());

  it('each end with blocks or a code, without effect on the next', async () => {
    const codes = new Map<string, number>();
    await Promise.all(
      samples.map(async ({ path, bytes, format }) => {
        let outcome = 'read';
        try {
          for await (const batch of pool.extract({ path, bytes, format })) {
            for (const { text } of blocksIn(batch))
              if (!text.isWellFormed() || text.includes('\0') || text.trim() === '') outcome = `bad text in ${path}`;
          }
        } catch (error) {
          outcome = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        }
        codes.set(outcome, (codes.get(outcome) ?? 0) + 1);
      }),
    );
    for (const outcome of codes.keys()) expect(['read', ...knownCodes]).toContain(outcome);
    expect(codes.get('read') ?? 0).toBeGreaterThan(samples.length * 0.7);
  });

  it('of HTML have the main text', async () => {
    const scores: number[] = [];
    for (const { path, bytes, format } of samples.filter((sample) => sample.format === 'html')) {
      const texts: string[] = [];
      for await (const batch of pool.extract({ path, bytes, format }))
        texts.push(...blocksIn(batch).map(({ text }) => text));
      const expected = await readFile(path.replace('source.html', 'expected.html'), 'utf8');
      scores.push(wordScores(texts.join('\n'), htmlReferenceText(expected)).f1);
    }
    expect(scores.reduce((sum, score) => sum + score, 0) / scores.length).toBeGreaterThan(0.95);
  });
});
