import { readFile } from 'node:fs/promises';
import type { Reply } from '../../mixins/http/api/exchange.ts';
import { markdownToHtml } from './markdown.ts';

/** Pages of `docs/` that operators read while something is wrong. Alerts link to sections of the runbook. */
const names = ['runbook', 'operations', 'configuration', 'errors'] as const;

const folder = new URL('../../docs/', import.meta.url);

/** No page has scripts or loads anything. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const style =
  'body{max-width:50rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}pre{overflow-x:auto;background:#f4f4f4;padding:.5rem}code{background:#f4f4f4}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2rem .5rem;text-align:left;vertical-align:top}';

/** Where a link of a page leads: to another served page, an address on the web, or nowhere. */
function resolveLink(target: string): string | null {
  if (/^https?:/.test(target) || target.startsWith('#')) return target;
  const [, name = '', section = ''] = /^(\w+)\.md(#[\w-]+)?$/.exec(target) ?? [];
  return names.some((known) => known === name) ? `/docs/${name}${section}` : null;
}

async function readPage(name: string): Promise<string> {
  const { title, html } = markdownToHtml(await readFile(new URL(`${name}.md`, folder), 'utf8'), resolveLink);
  return `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Ply: ${title}</title>\n<style>${style}</style>\n</head>\n<body>\n${html}</body>\n</html>\n`;
}

/** The pages for operators, `/docs/runbook` and its neighbours. Files are read at the first request. */
export function manualPages(): [string, () => Promise<Reply>][] {
  return names.map((name) => {
    let page: Promise<string> | null = null;
    return [
      `/docs/${name}`,
      async () => ({
        status: 200,
        body: await (page ??= readPage(name)),
        type: 'text/html; charset=utf-8',
        headers: { 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' },
      }),
    ];
  });
}
