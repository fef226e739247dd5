import fc from 'fast-check';
import { blocksOf, codeOf } from './testing/read.ts';
import { readMarkdown, readText } from './text.ts';

describe('plain text', () => {
  it('yields a block for each line, for all line endings', async () => {
    const blocks = await blocksOf(readText, 'one\r\ntwo\rthree\n\n  \nfünf 😀\nlast');
    expect(
      blocks.map(({ text, location }) => [text, location.lineStart, location.charStart, location.charEnd]),
    ).toEqual([
      ['one', 1, 0, 3],
      ['two', 2, 5, 8],
      ['three', 3, 9, 14],
      ['fünf 😀', 6, 19, 26],
      ['last', 7, 27, 31],
    ]);
  });

  it('drops the byte order mark and NUL', async () => {
    const blocks = await blocksOf(readText, '\ufeffabc\0def');
    expect(blocks).toEqual([
      { text: 'abcdef', location: { lineStart: 1, lineEnd: 1, charStart: 0, charEnd: 7 }, group: 'text' },
    ]);
  });

  it('rejects other encodings', async () => {
    const latin1 = Buffer.from('caf\xe9 au lait', 'latin1');
    const utf16 = Buffer.from('plain words in UTF-16', 'utf16le');
    expect(await codeOf(readText, latin1)).toBe('text_encoding_must_be_utf8');
    expect(await codeOf(readText, utf16)).toBe('text_encoding_must_be_utf8');
    expect(await codeOf(readText, Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]))).toBe(
      'text_encoding_must_be_utf8',
    );
    expect(await codeOf(readText, Buffer.concat([Buffer.alloc(300_000, 'x'), Buffer.from([0xe2, 0x82])]))).toBe(
      'text_encoding_must_be_utf8',
    );
  });

  it('splits an overlong line into pieces', async () => {
    const line = 'wörter ohne ende 😀 '.repeat(20_000);
    const blocks = await blocksOf(readText, line);
    expect(blocks.length).toBeGreaterThan(5);
    expect(blocks.map(({ text }) => text).join('')).toBe(line);
    expect(
      blocks.every(
        ({ location }, index) =>
          location.lineStart === 1 && location.charStart === (blocks[index - 1]?.location.charEnd ?? 0),
      ),
    ).toBe(true);
  });

  it('reports the offsets of each line in any text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'ß', '😀', ' ', '\n', '\r', '\r\n', 'x'.repeat(70_000)), { maxLength: 30 }),
        async (parts) => {
          const content = parts.join('');
          const blocks = await blocksOf(readText, content);
          for (const { text, location } of blocks)
            expect(content.slice(location.charStart, location.charEnd)).toBe(text);
          expect(
            blocks
              .map(({ text }) => text)
              .join('')
              .replace(/\s/g, ''),
          ).toBe(content.replace(/\s/g, ''));
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('Markdown', () => {
  it('changes the group at both kinds of headings, but not in code', async () => {
    const blocks = await blocksOf(
      readMarkdown,
      'intro\n# One\nbody\n\nTwo\n===\nmore\n```\n# code\n```\n- item\n---\n## Three',
    );
    const groups = blocks.map(({ text, group }) => `${text}=${group.replace('section ', '')}`);
    expect(groups).toEqual([
      'intro=0',
      '# One=1',
      'body=1',
      'Two=2',
      '====2',
      'more=2',
      '```=2',
      '# code=2',
      '```=2',
      '- item=2',
      '---=2',
      '## Three=3',
    ]);
  });
});
