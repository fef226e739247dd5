import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import type { DocumentFormat } from '../../models/formats.ts';
import { createExtractionPool } from './processes/pool.ts';
import { buildDocx, buildXlsx, paragraph } from './testing/office.ts';
import { buildPdf } from './testing/pdf.ts';

const prose = 'The lease is renewed every ten seconds, and nothing else changes it. ';
const originals: Record<DocumentFormat, Uint8Array> = {
  pdf: buildPdf([{ lines: [prose, prose] }, { lines: ['second page'] }]),
  docx: buildDocx(paragraph(prose).repeat(20)),
  xlsx: buildXlsx([{ name: 'S', rows: '<row><c t="s"><v>0</v></c><c s="0"><v>45000</v></c></row>'.repeat(20) }], { strings: '<si><t>word</t></si>', formats: ['dd/mm/yyyy'] }),
  csv: Buffer.from('a,b,c\n"quoted, text",2,3\n'.repeat(20)),
  text: Buffer.from(`${prose}\nÜber 😀\n`.repeat(20)),
  markdown: Buffer.from(`# Title\n\n${prose}\n`.repeat(20)),
  html: Buffer.from(`<!doctype html><main><h1>T</h1><p class="x">${prose}</p><table><tr><td>1</table></main>`.repeat(5)),
};

/** A change of a file: bytes written over, moved or cut off, at a share of its length. */
const change = fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), kind: fc.constantFrom('write', 'move', 'cut'), bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }) });

function mutate(original: Uint8Array, changes: readonly { at: number; kind: string; bytes: Uint8Array }[]): Uint8Array {
  let bytes = Uint8Array.from(original);
  for (const { at, kind, bytes: written } of changes) {
    const from = Math.floor(bytes.length * at);
    if (kind === 'cut') bytes = bytes.slice(0, Math.max(from, 1));
    else if (kind === 'move') bytes.copyWithin(from, Math.floor(from / 2), Math.floor(from / 2) + 60);
    else bytes.set(written.subarray(0, bytes.length - from), from);
  }
  return bytes;
}

describe('mutated files', () => {
  const pool = createExtractionPool({ slots: 2, memoryMegabytes: 512, seconds: 20, readableFolders: [tmpdir()] });
  let folder = '';
  beforeAll(async () => { folder = await mkdtemp(join(tmpdir(), 'hostile-')); });
  afterAll(async () => {
    await pool.close();
    await rm(folder, { recursive: true });
  });

  it.each(Object.keys(originals) as DocumentFormat[])('of format %s end with sound text or a code', async (format) => {
    let count = 0;
    await fc.assert(fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const content = mutate(originals[format], changes);
      const path = join(folder, `${format}-${count++}`);
      await writeFile(path, content);
      let outcome = 'read';
      try {
        for await (const { blocks } of pool.extract({ path, bytes: content.length, format })) {
          if (!blocks.every(({ text }) => text.isWellFormed() && !text.includes('\0') && text.trim() !== '')) outcome = 'unsound text';
        }
      } catch (error) {
        outcome = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      }
      expect(['read', 'ocr_required', 'document_unreadable', 'document_encrypted', 'document_too_complex', 'text_encoding_must_be_utf8']).toContain(outcome);
    }), { numRuns: 50 });
  }, 60_000);
});
