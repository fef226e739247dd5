import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { refuseKeyInQuery } from '../../mixins/http/api/admission.ts';
import { send, type Exchange, type Reply, type Sender } from '../../mixins/http/api/exchange.ts';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { Refusal } from '../../models/errors.ts';

/** Serves the built dashboard from the API's origin. */
export interface DashboardFiles {
  /** Whether a request is for the dashboard: one of its files, `/`, or a page that a browser opens. */
  has: (exchange: Exchange) => boolean;
  /** @throws Refusal */
  serve: (exchange: Exchange, sender: Sender) => Promise<void>;
}

const defaultFolder = new URL('../../web/dist/', import.meta.url);
/** Whether there is a dashboard to serve. */
export function isDashboardBuilt(): boolean {
  return existsSync(new URL('index.html', defaultFolder));
}

/** Files with their content's hash in their name. */
const assetsPath = '/assets/';
/** Addresses of others, which the dashboard has no page at. */
const reserved = /^\/(api|docs|health|assets|mcp)(\/|$)/i;

const types: { readonly [extension: string]: string } = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
  woff2: 'font/woff2',
};

/** Encodings that files are stored in beside themselves, the smallest first. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * The content security policy of the dashboard: its own scripts and styles alone, and in no frame. Parts of uploads go
 * to the upload host, and recordings and documents are read where their organization keeps them, so that data may come
 * from other hosts: by https alone where the deployment's own address is https.
 */
export function dashboardPolicy({ PLY_PUBLIC_URL }: Pick<Configuration, 'PLY_PUBLIC_URL'>): string {
  const anywhere = PLY_PUBLIC_URL?.startsWith('https:') === true ? 'https:' : 'https: http:';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "worker-src 'self' blob:",
    `connect-src 'self' ${anywhere}`,
    `img-src 'self' data: blob: ${anywhere}`,
    `media-src 'self' blob: ${anywhere}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Whether a header lists an encoding without refusing it by `q=0` (RFC 9110, 12.5.3). */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** Files are listed at the first request and kept in memory once they were read: a build is a few megabytes. */
export function dashboardFiles(
  configuration: Pick<Configuration, 'PLY_PUBLIC_URL'>,
  folder: URL = defaultFolder,
): DashboardFiles {
  const policy = dashboardPolicy(configuration);
  const contents = new Map<string, Promise<Buffer>>();
  let listing: Promise<ReadonlySet<string>> | null = null;

  const list = (): Promise<ReadonlySet<string>> =>
    (listing ??= readdir(folder, { recursive: true, withFileTypes: true }).then(
      (entries) => {
        const start = folder.pathname.length;
        const files = entries.filter((entry) => entry.isFile());
        return new Set(files.map(({ name, parentPath }) => `${parentPath}/`.slice(start).replace(/^\/+/, '') + name));
      },
      () => {
        // It is not built yet: another request looks again.
        listing = null;
        return new Set<string>();
      },
    ));

  const read = (name: string): Promise<Buffer> => {
    const known = contents.get(name);
    if (known !== undefined) return known;
    const content = readFile(new URL(name, folder));
    contents.set(name, content);
    return content;
  };

  const fileReply = async (name: string, acceptEncoding: string): Promise<Reply> => {
    const files = await list();
    if (!files.has(name)) {
      if (name === 'index.html')
        throw new Refusal('not_found', { detail: 'The dashboard is not built here: `npm start` builds it.' });
      throw new Refusal('not_found');
    }
    const [encoding, ending] = encodings.find(
      ([coding, end]) => accepts(acceptEncoding, coding) && files.has(name + end),
    ) ?? [null, ''];
    return {
      status: 200,
      body: await read(name + ending),
      type: types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      headers: {
        'Content-Security-Policy': policy,
        'Cache-Control': name === 'index.html' ? 'no-store' : 'public, max-age=31536000, immutable',
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
        Vary: 'Accept, Accept-Encoding',
        ...(encoding === null ? {} : { 'Content-Encoding': encoding }),
      },
    };
  };

  return {
    has: ({ path, request }) => {
      if (path === '/' || path.startsWith(assetsPath)) return true;
      const opensPage = (request.headers.accept ?? '').includes('text/html');
      return opensPage && (request.method === 'GET' || request.method === 'HEAD') && !reserved.test(path);
    },
    serve: async (exchange, sender) => {
      refuseKeyInQuery(exchange);
      const { method, headers } = exchange.request;
      if (method !== 'GET' && method !== 'HEAD') throw new Refusal('method_not_allowed', { allow: ['GET', 'HEAD'] });
      const name = exchange.path.startsWith(assetsPath) ? exchange.path.slice(1) : 'index.html';
      send(exchange, sender, await fileReply(name, headers['accept-encoding'] ?? ''));
    },
  };
}
