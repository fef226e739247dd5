/** What a page of Markdown becomes. */
export interface HtmlPage {
  /** The first heading, as HTML. */
  title: string;
  /** The body. */
  html: string;
}

/** Where a link leads; null if it leads nowhere, and only its text is shown. */
export type ResolveLink = (target: string) => string | null;

/**
 * Converts the Markdown that our own pages use: headings with anchors as GitHub names them, paragraphs, lists, tables,
 * code, links, bold and italic text. Everything else is shown as it is, and nothing becomes HTML of its own.
 */
export function markdownToHtml(markdown: string, resolveLink: ResolveLink): HtmlPage {
  const writer = new Writer(resolveLink);
  for (const line of markdown.split('\n')) writer.add(line);
  return writer.end();
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (found) => escapes[found] ?? '');
}

/** The anchor of a heading: lower case, without punctuation, with dashes for spaces. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

class Writer {
  private readonly resolveLink: ResolveLink;
  private readonly parts: string[] = [];
  private title = '';
  /** Lines of the paragraph, list item or table that is being read. */
  private lines: string[] = [];
  private kind: 'paragraph' | 'table' | 'code' = 'paragraph';
  /** Open lists, with the indentation of their items. */
  private readonly lists: { tag: 'ol' | 'ul'; indent: number }[] = [];

  constructor(resolveLink: ResolveLink) {
    this.resolveLink = resolveLink;
  }

  add(line: string): void {
    if (/^\s*```/.test(line)) {
      const isOpen = this.kind === 'code';
      this.flush();
      this.kind = isOpen ? 'paragraph' : 'code';
      return;
    }
    if (this.kind === 'code') {
      this.lines.push(line);
      return;
    }
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    const item = /^(\s*)(-|\d+\.) (.*)$/.exec(line);
    if (heading !== null) this.heading(heading[1]?.length ?? 1, heading[2] ?? '');
    else if (item !== null) this.item(item[1]?.length ?? 0, item[2] === '-' ? 'ul' : 'ol', item[3] ?? '');
    else if (line.trim() === '') this.flush();
    else if (line.startsWith('<!--')) this.flush();
    else {
      const kind = line.startsWith('|') ? 'table' : 'paragraph';
      if (kind !== this.kind) this.flush();
      this.kind = kind;
      if (this.lines.length === 0 && !line.startsWith(' ')) this.closeLists(-1);
      this.lines.push(line.trim());
    }
  }

  end(): HtmlPage {
    this.flush();
    this.closeLists(-1);
    return { title: this.title, html: this.parts.join('') };
  }

  private heading(level: number, text: string): void {
    this.flush();
    this.closeLists(-1);
    const html = this.inline(text);
    if (this.title === '') this.title = html;
    this.parts.push(`<h${level} id="${anchorOf(text)}">${html}</h${level}>\n`);
  }

  private item(indent: number, tag: 'ol' | 'ul', text: string): void {
    this.flush();
    this.closeLists(indent);
    if (this.lists.at(-1)?.indent !== indent) {
      this.lists.push({ tag, indent });
      this.parts.push(`<${tag}>\n`);
    }
    this.parts.push('<li>');
    this.lines = [text];
  }

  /** Ends the lists whose items are indented more than this. */
  private closeLists(indent: number): void {
    while ((this.lists.at(-1)?.indent ?? -1) > indent) this.parts.push(`</${this.lists.pop()?.tag ?? 'ul'}>\n`);
  }

  private flush(): void {
    const { lines, kind } = this;
    this.lines = [];
    this.kind = 'paragraph';
    if (kind === 'code') this.parts.push(`<pre><code>${escaped(lines.join('\n'))}</code></pre>\n`);
    else if (lines.length === 0) return;
    else if (kind === 'table') this.table(lines);
    else this.parts.push(`<p>${this.inline(lines.join(' '))}</p>\n`);
  }

  private table(lines: readonly string[]): void {
    const row = (line: string, tag: string): string => {
      const cells = line
        .replace(/^\|/, '')
        .replace(/\|$/, '')
        .split(/(?<!\\)\|/);
      return `<tr>${cells.map((cell) => `<${tag}>${this.inline(cell.trim())}</${tag}>`).join('')}</tr>\n`;
    };
    const [head = '', ...rest] = lines;
    const body = rest.filter((line) => !/^[|\s:-]+$/.test(line));
    this.parts.push(`<table>\n${row(head, 'th')}${body.map((line) => row(line, 'td')).join('')}</table>\n`);
  }

  /** Code first: nothing in it is marked up. */
  private inline(text: string): string {
    return text
      .split(/(`[^`]+`)/)
      .map((part) =>
        part.startsWith('`') && part.length > 1 ? `<code>${escaped(part.slice(1, -1))}</code>` : this.marked(part),
      )
      .join('');
  }

  private marked(text: string): string {
    return escaped(text)
      .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, label: string, target: string) => {
        const address = this.resolveLink(target);
        return address === null ? label : `<a href="${address}">${label}</a>`;
      })
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
      .replaceAll(/(?<![\w*])\*([^*\s][^*]*)\*(?!\w)/g, '<em>$1</em>');
  }
}
