import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Reply } from './exchange.ts';

/** The viewer loads everything from our own origin and talks to nobody else. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = `<!doctype html>
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

const files = { 'swagger-ui.css': 'text/css; charset=utf-8', 'swagger-ui-bundle.js': 'text/javascript; charset=utf-8', 'favicon-32x32.png': 'image/png' };

/** The pages of the readable reference: Swagger UI over the description at this path. Files are read when first asked for. */
export function documentation(descriptionPath: string): [string, () => Reply | Promise<Reply>][] {
  const headers = { 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' };
  const find = createRequire(import.meta.url);
  const served = Object.entries(files).map(([name, type]): [string, () => Promise<Reply>] => {
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
    ['/docs', () => ({ status: 200, body: page, type: 'text/html; charset=utf-8', headers })],
    ['/docs/start.js', () => ({ status: 200, body: startScript(descriptionPath), type: 'text/javascript; charset=utf-8', headers })],
    ...served,
  ];
}
