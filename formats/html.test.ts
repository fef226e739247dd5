import { blocksOf } from './testing/read.ts';
import { readHtml } from './html.ts';

const texts = async (html: string | Uint8Array): Promise<string[]> =>
  (await blocksOf(readHtml, html)).map(({ text }) => text);
const prose =
  'The lease is renewed every ten seconds, and a worker that was paused, however long, changes nothing when it comes back.';

describe('HTML', () => {
  it('yields paragraphs, headings, items and rows', async () => {
    const blocks = await blocksOf(
      readHtml,
      `<!doctype html><title>T</title><h1>Leases &amp; <em>tokens</em></h1><p>${prose}</p><ul><li>one</li><li>two <b>bold</b></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table><h2>More</h2>loose text<pre>  kept\n    lines\n</pre><dl><dt>term<dd>meaning</dl>`,
    );
    expect(blocks.map(({ text, location }) => [location.element, location.heading, text])).toEqual([
      [1, 'Leases & tokens', 'Leases & tokens'],
      [2, 'Leases & tokens', prose],
      [3, 'Leases & tokens', 'one'],
      [4, 'Leases & tokens', 'two bold'],
      [5, 'Leases & tokens', 'a | b'],
      [6, 'Leases & tokens', '1 | 2'],
      [7, 'More', 'More'],
      [8, 'More', 'loose text'],
      [9, 'More', '  kept\n    lines'],
      [10, 'More', 'term'],
      [11, 'More', 'meaning'],
    ]);
    expect(new Set(blocks.map(({ group }) => group))).toEqual(new Set(['section 1', 'section 2']));
  });

  it('skips scripts, hidden and framing elements', async () => {
    const page = `<header><p>Site name</p></header><nav><ul><li><a href="/">Home</a></ul></nav><script>var a = "<p>no</p>";</script><style>p{}</style><template><p>no</p></template><noscript><p>no</p></noscript>
      <main><h1>Title</h1><p>${prose}</p><p hidden>no</p><p style="color:red; display: none">no</p><p>${prose} Again.</p><ul class="links"><li><a href="/1">Read this other page now</a></li><li><a href="/2">And that one too, please</a></li></ul></main>
      <aside><p>Buy now</p></aside><div class="sidebar"><p>${prose}</p></div><footer><p>Copyright</p></footer>`;
    expect(await texts(page)).toEqual(['Title', prose, `${prose} Again.`]);
  });

  it('keeps a plain page whole, including link lists', async () => {
    expect(await texts('<p>Short note.</p><ul><li><a href="a">First link</a></li></ul>')).toEqual([
      'Short note.',
      'First link',
    ]);
    expect(
      await texts(`<div><p>${prose}</p></div><div><p>Two. ${prose}</p></div><div><p>Three. ${prose}</p></div>`),
    ).toHaveLength(3);
  });

  it('ignores names that would exclude the whole page', async () => {
    expect(await texts(`<div class="sidebar"><h1>Title</h1><p>${prose}</p></div>`)).toEqual(['Title', prose]);
  });

  it('adds the page title to the first block, but no SVG title', async () => {
    const blocks = await blocksOf(
      readHtml,
      `<html><head><title>Leases &amp;\n tokens - Handbook</title></head><body><svg><title>no</title></svg><p>${prose}</p><p>two</p></body></html>`,
    );
    expect(blocks.map(({ titles }) => titles)).toEqual(['Leases & tokens - Handbook', undefined]);
  });

  it('gives caption and headings of a table to its rows', async () => {
    const blocks = await blocksOf(
      readHtml,
      `<p>${prose}</p><table><caption>Table 1: Stores</caption><thead><tr><th>Item</th><th>Price</th></tr></thead><tr><th>Lamps</th></tr><tr><th>Oil</th><td>212</td></tr></table><p>${prose}</p><table><tr><td>a</td><td>b</td></tr></table>`,
    );
    expect(blocks.map(({ text, context }) => [text, context])).toEqual([
      [prose, undefined],
      ['Table 1: Stores', 'Table 1: Stores'],
      ['Item | Price', 'Table 1: Stores\nItem | Price'],
      ['Lamps', undefined],
      ['Oil | 212', undefined],
      [prose, ''],
      ['a | b', undefined],
    ]);
  });

  it('marks tables of contents', async () => {
    const blocks = await blocksOf(
      readHtml,
      `<h1>Lamps</h1><div id="toc"><ul><li>Oil</li><li>Wicks</li></ul></div><p class="has-toc">${prose}</p>`,
    );
    expect(blocks.map(({ text, group, isContents }) => [text, group, isContents])).toEqual([
      ['Lamps', 'section 1', undefined],
      ['Oil', 'section 1 contents', true],
      ['Wicks', 'section 1 contents', true],
      [prose, 'section 1', undefined],
    ]);
  });

  it('separates paragraphs at double line breaks', async () => {
    expect(await texts('<div>one<br>line<br><br>two</div>')).toEqual(['one\nline', 'two']);
  });

  it('detects the encoding if it is not declared, or wrongly', async () => {
    const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
    expect(await texts(latin1('<p>caf\xe9 \x93q\x94</p>'))).toEqual(['café “q”']);
    expect(await texts(latin1('<meta charset="iso-8859-1"><p>na\xefve</p>'))).toEqual(['naïve']);
    expect(await texts(latin1('<meta charset=utf-8><p>na\xefve</p>'))).toEqual(['naïve']);
    expect(await texts('<meta charset="iso-8859-1"><p>naïve</p>')).toEqual(['naïve']);
    expect(
      await texts(
        Buffer.concat([
          Buffer.from([0x3c, 0x6d, 0x65, 0x74, 0x61]),
          latin1(' charset=shift_jis><p>\x82\xa0\x82\xa2</p>'),
        ]),
      ),
    ).toEqual(['あい']);
    expect(await texts('<meta charset=gb2312><p>人工智能迈上新台阶</p>')).toEqual(['人工智能迈上新台阶']);
    expect(await texts('<meta charset=windows-1251><p>Текст</p>')).toEqual(['Текст']);
    expect(
      await texts(Buffer.concat([Buffer.from('<meta charset=gb2312><p>'), Buffer.from('c8cbb9a4d6c7c4dc', 'hex')])),
    ).toEqual(['人工智能']);
    expect(
      await texts(Buffer.concat([Buffer.from('<meta charset=koi8-r><p>'), Buffer.from('f4c5cbd3d4', 'hex')])),
    ).toEqual(['Текст']);
    expect(await texts(Buffer.from('\ufeff<p>wide ü</p>', 'utf16le'))).toEqual(['wide ü']);
    expect(await texts('<p>plain ü ‑ € 😀</p>')).toEqual(['plain ü ‑ € 😀']);
  });

  it('reads XHTML with self-closing elements', async () => {
    expect(
      await texts(
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><script src="x"/></head><body><p>after <a id="x"/>it</p></body></html>',
      ),
    ).toEqual(['after it']);
  });

  it('survives deep nesting and unclosed tags', async () => {
    const before = process.cpuUsage();
    for (const tag of ['div', 'b', 'p', 'svg'])
      expect(
        (
          await texts(
            `<main><p>before</p></main>${`<${tag}>`.repeat(100_000)}deep text${`</${tag}>`.repeat(100_000)}<p>after</p>`,
          )
        )[0],
      ).toBe('before');
    expect(await texts(`<p>before${'<b>'.repeat(100_000)}deep text${'</b>'.repeat(100_000)}<p>after`)).toEqual([
      'beforedeep text',
      'after',
    ]);
    expect(await texts(`<p>before<p>${'<div>'.repeat(100_000)}deep text${'</div>'.repeat(100_000)}<p>after`)).toEqual([
      'before',
      'deep text',
      'after',
    ]);
    const used = process.cpuUsage(before);
    expect(used.user + used.system).toBeLessThan(6_000_000);
    expect(await texts('<p>one<p>two<b>three<li>four</p></div></table>')).toEqual(['one', 'twothree', 'four']);
  });
});
