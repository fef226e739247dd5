import { blocksOf } from './testing/read.ts';
import { readHtml } from './html.ts';

const texts = async (html: string | Uint8Array): Promise<string[]> =>
  (await blocksOf(readHtml, html)).map(({ text }) => text);
const prose =
  'The lease is renewed every ten seconds, and a worker that was paused, however long, changes nothing when it comes back.';
const body = [prose, `Twice, ${prose}`, `Thrice, ${prose}`];
const paragraphs = body.map((text) => `<p>${text}</p>`).join('');
const lead = 'What happens to a job while nobody holds its lease.';

describe('the main part of a page', () => {
  it('includes the preceding headline and lead, but nothing between', async () => {
    const more = Array.from({ length: 8 }, (_, index) => `Still more of it (${index}): ${prose}`);
    const page = (head: string): string =>
      `<nav><a href="/">Home</a></nav>${head}<div class="text">${paragraphs}${more.map((text) => `<p>${text}</p>`).join('')}</div><footer>Imprint</footer>`;
    const between =
      '<p>By Ana Ruiz</p><p><a href="/topics/leases-and-workers">All articles about leases and their workers</a></p>';
    const whole = ['Leases', lead, ...body, ...more];
    expect(await texts(page(`<div><h1>Leases</h1>${between}<p>${lead}</p></div>`))).toEqual(whole);
    expect(await texts(page(`<header><h1>Leases</h1><h2>${lead}</h2></header>`))).toEqual(whole);
    expect(
      (await blocksOf(readHtml, page('<header><h1>Leases</h1></header>'))).every(
        ({ location }) => location.heading === 'Leases',
      ),
    ).toBe(true);
    expect(await texts(page(`<header><h1><a href="/">The Daily Lease</a></h1><p>${lead}</p></header>`))).toEqual([
      ...body,
      ...more,
    ]);
  });

  it.each([
    ['a tool', '<div class="elementor-widget-wrap"><div class="elementor-widget-container">TEXT</div></div>'],
    [
      'a layout',
      '<div class="page has-sidebar layout-with-sidebar"><div class="container no-sub-nav">TEXT</div></div>',
    ],
    ['the words of its heading', '<div class="section" id="related-work"><h2>Related work</h2>TEXT</div>'],
    ['the words of its heading, in a section,', '<section id="login"><h2>Login</h2>TEXT</section>'],
  ])('is kept if it is named like %s', async (_, page) => {
    const [before, after] = ['Before this, ', 'After this, '].map((start) => `<p>${start}${prose}</p>`);
    const read = await texts(`<main>${before}${page.replace('TEXT', paragraphs)}${after}</main>`);
    expect(read.filter((text) => !text.startsWith('Related') && text !== 'Login')).toEqual([
      `Before this, ${prose}`,
      ...body,
      `After this, ${prose}`,
    ]);
  });

  it('is found within a frame, without the frames inside it', async () => {
    expect(
      await texts(
        `<div class="modal"><div class="share"><p>Tell your friends about this page, please, they will like it.</p></div>${paragraphs}</div><p>A box beside it, with some words.</p>`,
      ),
    ).toEqual(expect.arrayContaining(body));
    expect(
      (
        await texts(
          `<div class="modal"><div class="share"><p>Tell your friends about this page, please.</p></div>${paragraphs}</div>`,
        )
      ).join('\n'),
    ).not.toContain('friends');
  });

  it('keeps linked items of a list that is not a menu', async () => {
    const items = [
      'Ruiz, A. Leases of jobs in a cluster, and what became of them. Journal of Queues, 2020, pages 7 to 12. ',
      'Ortiz, B. Workers that pause for long, and what they find afterwards. Letters on Queues, 2021, pages 1 to 4. ',
    ];
    const references = `<li><a href="/3">A lease without end: report of a study</a>.</li>${items.map((item) => `<li>${item}<a href="/1">Text</a></li>`).join('')}`;
    expect(await texts(`<main>${paragraphs}<h2>References</h2><ol>${references}</ol></main>`)).toEqual([
      ...body,
      'References',
      'A lease without end: report of a study.',
      ...items.map((item) => `${item}Text`),
    ]);
  });

  it('is the whole page if most lines are short', async () => {
    const hours = [
      'Opening hours',
      'Monday',
      '8 to 17',
      'Tuesday',
      '9 to 18',
      'Wednesday',
      'closed',
      'Thursday',
      '10 to 19',
      'Friday',
      '8 to 12',
    ].map((line) => `<p>${line}</p>`);
    for (const sentence of [
      `<ol><li><p>${prose}</p></li></ol>`,
      `<blockquote>${prose}</blockquote>`,
      `<div><div>${prose}</div></div>`,
    ]) {
      expect(
        await texts(`<body>${hours.join('')}${sentence}<p>Bring your badge.</p><p>Ring twice.</p></body>`),
      ).toEqual([...hours.map((line) => line.slice(3, -4)), prose, 'Bring your badge.', 'Ring twice.']);
    }
    expect(await texts(`<p>Please note:</p><blockquote>${body.join(' ')}</blockquote><p>Thank you.</p>`)).toEqual([
      'Please note:',
      body.join(' '),
      'Thank you.',
    ]);
  });

  it('keeps linked headings, and link lists without other text', async () => {
    const section = (name: string): string =>
      `<div><div class="head"><h2><a href="#${name}">${name} of a lease</a></h2></div><p>${prose}</p></div>`;
    expect(await texts(`<main>${section('Renewal')}${section('End')}</main>`)).toEqual([
      'Renewal of a lease',
      prose,
      'End of a lease',
      prose,
    ]);
    const forms = Array.from(
      { length: 12 },
      (_, index) =>
        `<tr><td>Form ${index + 1}</td><td><a href="/${index}">Request for something that is needed (${index})</a></td></tr>`,
    );
    expect(await texts(`<main><p>${lead}</p><table>${forms.join('')}</table></main>`)).toHaveLength(13);
    const others = Array.from(
      { length: 4 },
      (_, index) => `<li><a href="/${index}">Another page about something else (${index})</a></li>`,
    );
    expect(await texts(`<main>${paragraphs}<ul>${others.join('')}</ul></main>`)).toEqual(body);
  });

  it('is read if a dialog covers it or scripts reveal it', async () => {
    expect(
      await texts(
        `<div role="dialog"><p>Do you agree?</p></div><main aria-hidden="true">${paragraphs}${paragraphs}</main>`,
      ),
    ).toEqual([...body, ...body]);
    expect(await texts(`<body style="display:none"><p>Loading</p>${paragraphs}${paragraphs}</body>`)).toEqual([
      'Loading',
      ...body,
      ...body,
    ]);
    expect(await texts(`<main>${paragraphs}</main><div hidden>${paragraphs}</div>`)).toEqual(body);
    expect(await texts(`<p>Short.</p><div class="cookie-consent" hidden>${paragraphs}${paragraphs}</div>`)).toEqual([
      'Short.',
    ]);
  });

  it('is the fallback without scripts if the page has little else', async () => {
    const shell = '<header><a href="/">Home</a></header><div id="root">Loading</div>';
    expect(await texts(`${shell}<noscript><h1>Leases</h1>${paragraphs}${paragraphs}</noscript>`)).toEqual([
      'Leases',
      ...body,
      ...body,
    ]);
    expect(await texts(`${shell}<noscript><p>You need to enable JavaScript to run this app.</p></noscript>`)).toEqual([
      'Loading',
    ]);
    expect(await texts(`<main>${paragraphs}</main><noscript>${paragraphs}${paragraphs}</noscript>`)).toEqual(body);
    expect(await texts(`<p>${prose}</p><noscript>&lt;img src="${'x'.repeat(900)}, ${prose}"&gt;</noscript>`)).toEqual([
      prose,
    ]);
    expect(await texts(`<p>${prose} <noscript><img src="a.png"></noscript> and on.</p>`)).toEqual([`${prose} and on.`]);
  });

  it('is the article data if scripts write the page', async () => {
    const script = (json: string): string => `<script type="application/ld+json">${json}</script>`;
    const article = {
      '@type': 'NewsArticle',
      headline: 'Leases',
      articleBody: body.concat(body.map((text) => `Later, ${text}`)).join('\n\n'),
    };
    const whole = ['Leases', ...body, ...body.map((text) => `Later, ${text}`)];
    const page = (json: string): string =>
      `<title>T</title>${script('{broken')}${script(json)}<div id="app"><p>Loading</p></div>`;
    const blocks = await blocksOf(
      readHtml,
      page(JSON.stringify({ '@graph': [{ '@type': 'WebSite', name: 'no' }, article, article] })),
    );
    expect(blocks.map(({ text, location }) => [text, location.heading])).toEqual([
      ['Loading', undefined],
      ...whole.map((text) => [text, 'Leases']),
    ]);
    expect(
      await texts(page(JSON.stringify([{ ...article, articleBody: `<p>${whole.slice(1).join('</p><p>')}</p>` }]))),
    ).toEqual(['Loading', ...whole]);
    expect(await texts(page(`{"articleBody": "${whole.slice(1).join('\n')}"}`))).toEqual([
      'Loading',
      whole.slice(1).join(' '),
    ]);
    expect(await texts(`${script(JSON.stringify(article))}<main>${paragraphs}</main>`)).toEqual(body);
    expect(await texts(page(JSON.stringify({ articleBody: 'Short.' })))).toEqual(['Loading']);
    expect(await texts(page('['.repeat(100_000)))).toEqual(['Loading']);
  });

  it('includes all tab panels', async () => {
    expect(
      await texts(
        `<div role="tabpanel"><p>On Linux, ${prose}</p></div><div role="tabpanel" hidden aria-hidden="true"><p>On Windows, ${prose}</p></div>`,
      ),
    ).toEqual([`On Linux, ${prose}`, `On Windows, ${prose}`]);
  });
});

describe('blocks of a page', () => {
  it('use buttons within headings as text, but not next to text', async () => {
    const blocks = await blocksOf(
      readHtml,
      `<h3><button><span>Who holds</span> the lease?</button></h3><p>${prose}</p><h3>Renewal <button>Copy link</button></h3><p>${lead}</p>`,
    );
    expect(blocks.map(({ text, location }) => [text, location.heading])).toEqual([
      ['Who holds the lease?', 'Who holds the lease?'],
      [prose, 'Who holds the lease?'],
      ['Renewal', 'Renewal'],
      [lead, 'Renewal'],
    ]);
  });

  it('are not split by formulas, Office elements and custom elements', async () => {
    expect(
      await texts(
        '<p>Let <math><semantics><mrow><mfrac><mi>x</mi><mn>2</mn></mfrac><mo>&lt;</mo><msqrt><mi>y</mi></msqrt></mrow><annotation encoding="application/x-tex">\\frac x2</annotation></semantics></math> hold.</p>',
      ),
    ).toEqual(['Let x2<y hold.']);
    expect(
      await texts('<p>In <st1:place w:st="on"><st1:City>Quito</st1:City></st1:place> it<o:p> </o:p>rains</p>'),
    ).toEqual(['In Quito it rains']);
    expect(await texts('<p>A <g-emoji>★</g-emoji> rises</p><my-card>one</my-card><my-card>two</my-card>')).toEqual([
      'A ★ rises',
      'one',
      'two',
    ]);
  });

  it('have no anchor marks', async () => {
    const blocks = await blocksOf(
      readHtml,
      '<h2>Install<a class="headerlink" href="#install">\u00b6</a></h2><p>See <a href="#x">\u00a7 5</a> of C#.</p><h2><a href="#end">#</a> End</h2>',
    );
    expect(blocks.map(({ text, location }) => [text, location.heading])).toEqual([
      ['Install', 'Install'],
      ['See \u00a7 5 of C#.', 'Install'],
      ['End', 'End'],
    ]);
  });

  it('have no icon font glyphs', async () => {
    expect(
      await texts(
        '<p><i class="icon">\ue90a</i> Call us</p><p>&#xf0a7;</p><pre>\uf121 x = 1</pre><table><tr><td>a</td><td>\ue001</td><td>b</td></tr></table>',
      ),
    ).toEqual(['Call us', '  x = 1', 'a | b']);
  });

  it('are table rows if the cells are paragraphs', async () => {
    const rows =
      '<tr><td><p>Term</p></td><td><div><p>30 days</p></div></td></tr><tr><td>Notice</td><td><p>one</p><p>two</p></td><td>three</td></tr>';
    expect(await texts(`<table>${rows}</table>`)).toEqual(['Term | 30 days', 'Notice', 'one', 'two', 'three']);
    expect(
      await texts(`<table><tr><td><p>${prose}${prose}${prose}</p></td><td><h2>Side</h2></td></tr></table>`),
    ).toEqual([`${prose}${prose}${prose}`, 'Side']);
    expect(
      await texts('<table><tr><td>Outer</td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>'),
    ).toEqual(['Outer', 'a | b']);
  });

  it('are not links after an unclosed anchor', async () => {
    expect(
      await texts(
        `<nav><a href="/">Home</a></nav><div><a name="top"><p>${prose}</p><div><p>Twice, ${prose}</p><p>Thrice, ${prose}</p></div></div>`,
      ),
    ).toEqual(body);
  });

  it('include CDATA sections of XHTML', async () => {
    expect(
      await texts(
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><pre><![CDATA[if (a < b) return;]]></pre></body></html>',
      ),
    ).toEqual(['if (a < b) return;']);
  });
});

describe('the encoding of a page', () => {
  it('is UTF-16 if every second byte is 0', async () => {
    expect(await texts(Buffer.from('<p>Größe</p>', 'utf16le'))).toEqual(['Größe']);
    expect(await texts(Buffer.from('<p>Größe</p>', 'utf16le').swap16())).toEqual(['Größe']);
  });

  it('is declared late, but not within a comment', async () => {
    const text = Buffer.from('f4c5cbd3d4', 'hex');
    const page = (head: string): Buffer =>
      Buffer.concat([
        Buffer.from(`<head><script>${'x'.repeat(20_000)}</script>${head}</head><p>`),
        text,
        Buffer.from('</p>'),
      ]);
    expect(await texts(page('<meta charset=koi8-r>'))).toEqual(['Текст']);
    expect(
      await texts(
        page('<!-- <meta charset=shift_jis> --><meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'),
      ),
    ).toEqual(['Текст']);
  });
});
