import { markdownToHtml } from './markdown.ts';

const html = (markdown: string): string =>
  markdownToHtml(markdown, (target) => (target.startsWith('ops') ? `/docs/${target}` : null)).html;

describe('pages of Markdown', () => {
  it('have headings with the anchors that GitHub gives them, and the first one as title', () => {
    expect(markdownToHtml('# The `run` book\n\n## PlyGone', () => null)).toEqual({
      title: 'The <code>run</code> book',
      html: '<h1 id="the-run-book">The <code>run</code> book</h1>\n<h2 id="plygone">PlyGone</h2>\n',
    });
  });

  it('have paragraphs, lists, code and tables', () => {
    expect(html('one\ntwo\n\n1. first\n   more\n2. second\n   - inner\n\nafter')).toBe(
      '<p>one two</p>\n<ol>\n<li><p>first more</p>\n<li><p>second</p>\n<ul>\n<li><p>inner</p>\n</ul>\n</ol>\n<p>after</p>\n',
    );
    expect(html('```sh\na < b  # **c**\n\nd\n```\n')).toBe('<pre><code>a &lt; b  # **c**\n\nd</code></pre>\n');
    expect(html('| a | b |\n|---|---|\n| `x` | *y* |')).toBe(
      '<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td><code>x</code></td><td><em>y</em></td></tr>\n</table>\n',
    );
  });

  it('link to what is served only, and contain no HTML of their own', () => {
    expect(html('[there](ops#a) [not](../else.md) **bold**')).toBe(
      '<p><a href="/docs/ops#a">there</a> not <strong>bold</strong></p>\n',
    );
    expect(html('<script>alert("1")</script>')).toBe('<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</p>\n');
  });
});
