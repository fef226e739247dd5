import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Refusal } from '../../models/errors.ts';
import { send, type Exchange, type Reply, type Sender } from '../../mixins/http/api/exchange.ts';
import { wholeDescription } from './description.ts';
import { manualPages } from './manual.ts';
import { refuseKeyInQuery } from '../../mixins/http/api/admission.ts';
import { apiRoot } from './routes/paths.ts';

/** Whether the program can serve, and the state of its parts. */
export interface Readiness {
  ready: boolean;
  parts: { [name: string]: { state: 'up' | 'down' | 'off' | 'recovering'; detail?: string } };
}

/** The pages that need no key. */
export interface PublicPages {
  paths: readonly string[];
  has: (path: string) => boolean;
  /** @throws Refusal */
  serve: (exchange: Exchange, sender: Sender) => Promise<void>;
}

/** Health, the description of the API, its readable reference, and the pages for operators. */
export function publicPages(readiness: () => Promise<Readiness>): PublicPages {
  const description = JSON.stringify(wholeDescription());
  const pages = new Map<string, () => Reply | Promise<Reply>>([
    ['/health/live', () => ({ status: 200, body: '{"live":true}' })],
    ['/health/ready', () => reply(readiness())],
    [`${apiRoot}/openapi.json`, () => ({ status: 200, body: description, headers: { 'Cache-Control': 'no-cache' } })],
    ...documentation(`${apiRoot}/openapi.json`),
    ...manualPages(),
  ]);
  return {
    paths: [...pages.keys()],
    has: (path) => pages.has(path),
    serve: async (exchange, sender) => {
      refuseKeyInQuery(exchange);
      const { method } = exchange.request;
      if (method !== 'GET' && method !== 'HEAD') throw new Refusal('method_not_allowed', { allow: ['GET', 'HEAD'] });
      const page = pages.get(exchange.path);
      if (page === undefined) throw new Refusal('not_found');
      send(exchange, sender, await page());
    },
  };
}

async function reply(readiness: Promise<Readiness>): Promise<Reply> {
  const report = await readiness;
  return {
    status: report.ready ? 200 : 503,
    body: JSON.stringify(report),
    ...(report.ready ? {} : { headers: { 'Retry-After': 2 } }),
  };
}

/** The viewer of the reference loads everything from its own origin. */
const viewerPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const viewerPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ply API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

function startScript(descriptionPath: string): string {
  return `SwaggerUIBundle(${JSON.stringify({ url: descriptionPath, dom_id: '#reference', deepLinking: true, validatorUrl: null })});\n`;
}

const viewerFiles = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/**
 * The pages of the API reference: Swagger UI over the description at this path. Files are read at the first request.
 */
function documentation(descriptionPath: string): [string, () => Reply | Promise<Reply>][] {
  const headers = { 'Content-Security-Policy': viewerPolicy, 'Cache-Control': 'no-cache' };
  const find = createRequire(import.meta.url);
  const served = Object.entries(viewerFiles).map(([name, type]): [string, () => Promise<Reply>] => {
    let content: Promise<Buffer> | null = null;
    return [
      `/docs/${name}`,
      async () => {
        content ??= readFile(find.resolve(`swagger-ui-dist/${name}`));
        return { status: 200, body: await content, type, headers };
      },
    ];
  });
  return [
    ['/docs', () => ({ status: 200, body: viewerPage, type: 'text/html; charset=utf-8', headers })],
    [
      '/docs/start.js',
      () => ({ status: 200, body: startScript(descriptionPath), type: 'text/javascript; charset=utf-8', headers }),
    ],
    ...served,
  ];
}
