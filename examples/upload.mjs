// Uploads from a browser: the server begins and completes them with its key, and the page sends the bytes in parts.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { Ply, PlyError } from '@ply/client';

const {
  PLY_URL: url,
  PLY_KEY: key,
  PLY_ORGANIZATION: organizationId,
  BUCKET_ID: bucketId,
  PORT = '8081',
} = process.env;
const ply = new Ply({ url, key, organizationId });

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Upload</title>
<label>File <input type="file"></label>
<progress max="1" value="0" aria-label="Sent"></progress>
<p role="status"></p>
<script type="module">
  import { sendParts, sha256Of } from '/client/index.js';
  const [input, progress, state] = ['input', 'progress', 'p'].map((name) => document.querySelector(name));
  const ask = async (path, body) => {
    const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.detail);
    return answer;
  };
  input.addEventListener('change', async () => {
    const [file] = input.files;
    try {
      const upload = await ask('/start', { name: file.name, size: file.size, type: file.type, sha256: await sha256Of(file) });
      await sendParts(upload.parts, upload.partSize, file, {
        onProgress: (sent, total) => (progress.value = total === 0 ? 1 : sent / total),
      });
      const { key, size, sha256 } = await ask('/complete', { uploadId: upload.id });
      state.textContent = 'Stored ' + key + ', ' + size + ' bytes, ' + sha256;
    } catch (error) {
      state.textContent = error.message;
    }
  });
</script>`;

/** What the page may ask for. A server of yours also checks who is asking. */
const answers = {
  '/start': ({ name, size, type, sha256 }) => {
    const body = { key: `uploads/${name}`, size, contentType: type || 'application/octet-stream', sha256 };
    return ply.call('startUpload', { path: { bucketId }, body });
  },
  '/complete': ({ uploadId }) => ply.call('completeUpload', { path: { uploadId } }),
};

const client = new URL('.', import.meta.resolve('@ply/client'));

createServer(async (request, response) => {
  const { pathname } = new URL(request.url, 'http://localhost');
  const [, script] = /^\/client\/(\w+\.js)$/.exec(pathname) ?? [];
  if (pathname === '/') return response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
  if (script !== undefined)
    return response.setHeader('Content-Type', 'text/javascript').end(await readFile(new URL(script, client)));
  response.setHeader('Content-Type', 'application/json');
  if (request.method !== 'POST' || !Object.hasOwn(answers, pathname)) return response.writeHead(404).end('{}');
  try {
    response.end(JSON.stringify(await answers[pathname](await json(request))));
  } catch (error) {
    const detail = error instanceof PlyError ? error.detail : 'The upload is not available.';
    response.writeHead(error instanceof PlyError ? error.status : 502).end(JSON.stringify({ detail }));
  }
}).listen(Number(PORT), '127.0.0.1', function () {
  console.log(`http://127.0.0.1:${this.address().port}/`);
});
