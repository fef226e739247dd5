import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testAsset } from '../../../test/support/asset.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { readBlocks } from '../../../mixins/blocks/blocks.ts';
import type { Block } from '../../../models/block.ts';
import { FairSlots } from '../../../models/fair-slots.ts';
import { pgmOf } from './picture.ts';
import { SharedReadings } from './shared-readings.ts';
import type { SlideToolbox, SlideTools } from './toolbox.ts';
import { writeSlides, type WrittenSlides } from './write-slides.ts';

const secondsOfSlide = 4;
const asset = testAsset({ kind: 'video', language: 'en' });
const folderOf = 'derived/organization/asset/1/';

/** A picture of 320 by 180 points with bars in one of 12 rows. */
function slide(row: number): Uint8Array {
  const points = new Uint8Array(320 * 180).fill(255);
  for (let y = row * 14 + 4; y < row * 14 + 10; y++)
    for (let x = 20; x < 280; x += 3) points.fill(0, y * 320 + x, y * 320 + x + 2);
  return pgmOf({ width: 320, height: 180, points });
}

/** The text that the program reads on a picture, after the word. */
function sumOf(picture: Uint8Array): string {
  return execFileSync('cksum', { input: picture }).toString('latin1').split(' ')[0] ?? '';
}

/** Six slides, one picture per second, interrupted after the given seconds. */
async function* pictures(brokenAfter = Infinity): AsyncGenerator<Uint8Array> {
  for (let second = 0; second < 6 * secondsOfSlide; second++) {
    if (second === brokenAfter) throw new Error('the source broke off');
    yield slide(Math.floor(second / secondsOfSlide) + 1);
  }
}

describe('pictures that were read before an interruption', () => {
  let folder: string;
  let test: TestApp;
  let tools: SlideTools;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ply-kept-'));
    test = await testApp();
    // Records each call, and returns a checksum of the picture as text.
    const program = join(folder, 'program');
    writeFileSync(
      program,
      `#!/bin/sh\nsum=$(cksum | cut -d ' ' -f 1)\necho read >> ${folder}/calls\nprintf '5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t96\\tSlide%s\\n' $sum\n`,
    );
    chmodSync(program, 0o755);
    tools = { program, languages: ['eng'], confinement: { prefix: [], used: [], network: 'none' } };
  });
  afterEach(async () => {
    await test.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const calls = (): number =>
    existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').split('\n').length - 1 : 0;
  const toolbox = (): SlideToolbox => ({
    find: () => Promise.reject(new Error('it is not looked for')),
    slots: new FairSlots(1),
    slotCount: 1,
    shared: new SharedReadings(),
  });
  const write = (bytes: AsyncIterable<Uint8Array>, language = 'en'): Promise<WrittenSlides> =>
    writeSlides(
      {
        blobs: test.app.blobs,
        asset: { ...asset, language },
        toolbox: toolbox(),
        tools,
        milliseconds: 20_000,
        signal: new AbortController().signal,
      },
      bytes,
    );
  const names = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of test.app.blobs.list(folderOf)) found.push(key.slice(folderOf.length));
    return found;
  };

  it('are not read again, and their texts are removed when the slides are stored', async () => {
    await expect(write(pictures(4 * secondsOfSlide))).rejects.toThrow('broke off');
    const before = calls();
    expect(before).toBeGreaterThanOrEqual(2);
    expect(await names()).toEqual(
      Array.from({ length: before }, () => expect.stringMatching(/^slide-[0-9a-f]{64}\.json$/)),
    );
    expect(await write(pictures())).toEqual({ frames: 6, unread: 0, shared: 0, slides: 6 });
    expect(calls()).toBe(6);
    const blocks: Block[] = [];
    for await (const block of readBlocks(test.app.blobs, `${folderOf}slides.ndjson`)) blocks.push(block);
    expect(blocks.map(({ text, location }) => [text, location.startSeconds])).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => [`Slide${sumOf(slide(number))}`, (number - 1) * secondsOfSlide]),
    );
    expect(await names()).toEqual(['slides.ndjson']);
  });

  it('are read again in another language', async () => {
    await expect(write(pictures(3 * secondsOfSlide))).rejects.toThrow('broke off');
    const before = calls();
    tools = { ...tools, languages: ['deu', 'eng'] };
    await write(pictures(), 'de');
    expect(calls()).toBe(before + 6);
  });

  it('of two identical concurrent videos are read once', async () => {
    const { shared, ...rest } = toolbox();
    const both = ['asset', 'copy'].map((id) =>
      writeSlides(
        {
          blobs: test.app.blobs,
          asset: { ...asset, _id: id },
          toolbox: { ...rest, shared },
          tools,
          milliseconds: 20_000,
          signal: new AbortController().signal,
        },
        pictures(),
      ),
    );
    const written = await Promise.all(both);
    expect(calls()).toBe(6);
    expect(written.map(({ frames, slides }) => [frames, slides])).toEqual([
      [6, 6],
      [6, 6],
    ]);
    expect(written.reduce((sum, each) => sum + each.shared, 0)).toBe(6);
    const texts = await Promise.all(
      ['asset', 'copy'].map(async (id) => {
        const found: string[] = [];
        for await (const { text } of readBlocks(test.app.blobs, `derived/organization/${id}/1/slides.ndjson`))
          found.push(text);
        return found;
      }),
    );
    expect(texts[0]).toHaveLength(6);
    expect(texts[1]).toEqual(texts[0]);
  });
});
