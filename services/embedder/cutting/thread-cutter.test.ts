import { setTimeout as pause } from 'node:timers/promises';
import type { Passage } from '../../../models/passage.ts';
import type { Segment } from '../../../models/transcript.ts';
import type { TextBlobs, TextPlace } from '../revision-text.ts';
import { cutHere, type CutRequest } from './cutter.ts';
import { ThreadCutter, type ThreadCutterOptions } from './thread-cutter.ts';

const folder = 'derived/o/a/1/';
const document: TextPlace = { folder, kind: 'document', language: 'multi' };
const warnings: unknown[] = [];
const cutters: ThreadCutter[] = [];

function cutterOf(options: Partial<ThreadCutterOptions> = {}): ThreadCutter {
  const cutter = new ThreadCutter({ log: { warn: (...told: unknown[]) => void warnings.push(told) }, ...options });
  cutters.push(cutter);
  return cutter;
}

afterEach(async () => {
  await Promise.all(cutters.splice(0).map((cutter) => cutter.close()));
  warnings.length = 0;
});

class NoBlob extends Error {
  override readonly name = 'BlobNotFound';
}

/** Blobs that count those that are being read. */
function blobsOf(content: Record<string, unknown[]>): TextBlobs & { open: number } {
  const blobs = {
    open: 0,
    async *read(key: string) {
      const lines = content[key.slice(folder.length)];
      if (lines === undefined) throw new NoBlob(key);
      const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      blobs.open += 1;
      try {
        for (let from = 0; from < bytes.length; from += 10_000) yield bytes.subarray(from, from + 10_000);
      } finally {
        blobs.open -= 1;
      }
    },
  };
  return blobs;
}

function rows(count: number, word = 'pump'): unknown[] {
  return Array.from({ length: count }, (_, row) => ({ text: `Row ${row} of the table says how the ${word} is repaired, für Häuser und 水泵.`, location: { row: row + 1 }, group: 'table' }));
}

function requestOf(blobs: TextBlobs, more: Partial<CutRequest> = {}): CutRequest {
  return { blobs, text: document, size: 16, signal: new AbortController().signal, read: () => undefined, ...more };
}

async function collect(batches: AsyncIterable<Passage[]>): Promise<Passage[][]> {
  const all: Passage[][] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}

describe('cutting texts in a thread', () => {
  it('gives the passages of a long text as cutting here does, in the same batches, and tells how far it has read', async () => {
    const blobs = blobsOf({ 'blocks.ndjson': rows(1500) });
    const bytes: number[] = [];
    const cutter = cutterOf();
    const [there, here] = [await collect(cutter.batches(requestOf(blobs, { read: (now) => bytes.push(now) }))), await collect(cutHere.batches(requestOf(blobs)))];
    expect(there).toEqual(here);
    expect(here.length).toBeGreaterThan(5);
    expect(cutter.hasThread).toBe(true);
    expect(bytes).toEqual([...bytes].sort((one, other) => one - other));
    expect(bytes.at(-1)).toBe(Buffer.byteLength(rows(1500).map((row) => `${JSON.stringify(row)}\n`).join('')));
    expect(blobs.open).toBe(0);
  });

  it('cuts several at a time, each by itself', async () => {
    const cutter = cutterOf();
    const words = ['valve', 'turbine', 'bearing', 'gasket'];
    const cut = await Promise.all(words.map(async (word) => (await collect(cutter.batches(requestOf(blobsOf({ 'blocks.ndjson': rows(800, word) }))))).flat()));
    for (const [place, word] of words.entries()) {
      expect(cut[place]?.map(({ ordinal }) => ordinal)).toEqual(cut[place]?.map((_, ordinal) => ordinal));
      expect(cut[place]?.every(({ text }) => text.includes(word))).toBe(true);
    }
  });

  it('cuts a short text without a thread', async () => {
    const cutter = cutterOf();
    expect((await collect(cutter.batches(requestOf(blobsOf({ 'blocks.ndjson': rows(20) }))))).flat().length).toBeGreaterThan(0);
    expect(cutter.hasThread).toBe(false);
  });

  it('takes a recording without slides, and says of a document without text what the store says', async () => {
    const segments = Array.from({ length: 900 }, (_, place): Segment => ({ id: `s${place}`, text: `Sentence ${place} is spoken about the broken pump.`, start: place * 4, end: place * 4 + 3, speaker: null, language: 'en', words: [], timingPrecision: 'segment' }));
    const request = requestOf(blobsOf({ 'transcript.ndjson': segments }), { text: { ...document, kind: 'audio' } });
    const cutter = cutterOf();
    const there = await collect(cutter.batches(request));
    expect(cutter.hasThread).toBe(true);
    expect(there).toEqual(await collect(cutHere.batches(request)));
    expect(there.flat().at(-1)?.text).toContain('Sentence 899');
    await expect(collect(cutter.batches(requestOf(blobsOf({}))))).rejects.toThrow(NoBlob);
  });

  it('ends with the reason of the signal, and lets go of the text where nobody takes more of it', async () => {
    const blobs = blobsOf({ 'blocks.ndjson': rows(10_000) });
    const stop = new AbortController();
    const cutter = cutterOf();
    const stopped = (async () => {
      for await (const _ of cutter.batches(requestOf(blobs, { signal: stop.signal }))) stop.abort(new Error('enough'));
    })();
    await expect(stopped).rejects.toThrow('enough');
    for await (const batch of cutter.batches(requestOf(blobs))) {
      expect(batch).toHaveLength(16);
      break;
    }
    expect(blobs.open).toBe(0);
    expect((await collect(cutter.batches(requestOf(blobsOf({ 'blocks.ndjson': rows(800) }))))).length).toBeGreaterThan(1);
  });

  it('passes on what the store fails with in the middle, and lines that are none', async () => {
    const good = blobsOf({ 'blocks.ndjson': rows(1500) });
    const failing: TextBlobs = {
      async *read(key) {
        let pieces = 0;
        for await (const piece of good.read(key)) {
          if (++pieces > 10) throw new Error('the disk is gone');
          yield piece;
        }
      },
    };
    const cutter = cutterOf();
    await expect(collect(cutter.batches(requestOf(failing)))).rejects.toThrow('the disk is gone');
    await expect(collect(cutter.batches(requestOf(blobsOf({ 'blocks.ndjson': [...rows(800), { text: 1 }] }))))).rejects.toThrow('not well formed');
    expect(cutter.hasThread).toBe(true);
    expect(warnings).toEqual([]);
  });

  it('lets the thread end when no text has come for a while', async () => {
    const cutter = cutterOf({ restMs: 1 });
    await collect(cutter.batches(requestOf(blobsOf({ 'blocks.ndjson': rows(800) }))));
    while (cutter.hasThread) await pause(5);
    expect((await collect(cutter.batches(requestOf(blobsOf({ 'blocks.ndjson': rows(800) }))))).length).toBeGreaterThan(1);
    expect(warnings).toEqual([]);
  });

  it('fails the text over which the thread died, and starts another one for the next', async () => {
    const cutter = cutterOf({ body: new URL('./dying-worker.ts', import.meta.url) });
    for (let time = 1; time <= 2; time += 1) {
      await expect(collect(cutter.batches(requestOf(blobsOf({ 'blocks.ndjson': rows(800) }))))).rejects.toThrow('the thread that cuts texts ended');
      expect(warnings).toHaveLength(time);
    }
  });

  it('cuts nothing long once it is closed', async () => {
    const cutter = cutterOf();
    const cutting = collect(cutter.batches(requestOf(blobsOf({ 'blocks.ndjson': rows(10_000) }))));
    const failed = expect(cutting).rejects.toThrow('ended');
    while (!cutter.hasThread) await pause(1);
    await cutter.close();
    await failed;
    await expect(collect(cutter.batches(requestOf(blobsOf({ 'blocks.ndjson': rows(800) }))))).rejects.toThrow('no texts are cut any more');
  });
});
