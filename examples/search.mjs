// A search page: a server that holds the key and asks for the reader, and a page that shows passages with their place.
import { createServer } from 'node:http';
import { Ply, PlyError } from '@ply/client';

const { PLY_URL: url, PLY_KEY: key, PLY_ORGANIZATION: organizationId, PORT = '8080' } = process.env;
const ply = new Ply({ url, key, organizationId });

/** Who is reading. Take it from your own sign-in: without principals, only open files are found. */
const principalsOf = (_request) => [];

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Search</title>
<style>body { margin: 2rem auto; max-width: 45rem; padding: 0 1rem; font: 1rem/1.5 system-ui } input { width: 100%; font: inherit }</style>
<form><label>Search <input name="query" type="search" required autofocus></label></form>
<p role="status"></p>
<ol></ol>
<script type="module">
  const [form, state, list] = ['form', 'p', 'ol'].map((name) => document.querySelector(name));
  const placeOf = ({ page, slide, lineStart, playFromSeconds }) =>
    page ? ', page ' + page : slide ? ', slide ' + slide : lineStart ? ', line ' + lineStart
      : playFromSeconds === undefined ? '' : ', at ' + Math.round(playFromSeconds) + ' s';
  const element = (name, ...content) => { const made = document.createElement(name); made.append(...content); return made; };
  function* marked(text, highlights) {
    let from = 0;
    for (const { start, end } of highlights) {
      yield text.slice(from, start);
      yield element('mark', text.slice(start, end));
      from = end;
    }
    yield text.slice(from);
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const response = await fetch('/search?' + new URLSearchParams(new FormData(form)));
    const { items = [], detail } = await response.json();
    state.textContent = detail ?? (items.length === 0 ? 'Nothing found.' : '');
    list.replaceChildren(...items.map(({ filename, location, snippet, highlights }) =>
      element('li', element('strong', filename), placeOf(location), element('p', ...marked(snippet, highlights)))));
  });
</script>`;

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  if (pathname === '/') return response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
  response.setHeader('Content-Type', 'application/json');
  if (pathname !== '/search') return response.writeHead(404).end('{}');
  try {
    const body = { query: searchParams.get('query') ?? '', principals: principalsOf(request) };
    const { items } = await ply.call('search', { body });
    response.end(JSON.stringify({ items }));
  } catch (error) {
    const detail = error instanceof PlyError ? error.detail : 'The search is not available.';
    response.writeHead(error instanceof PlyError ? error.status : 502).end(JSON.stringify({ detail }));
  }
}).listen(Number(PORT), '127.0.0.1', function () {
  console.log(`http://127.0.0.1:${this.address().port}/`);
});
