import { createReadStream, type Stats } from 'node:fs';
import { access, constants, opendir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { systemRuntime } from '../models/runtime.ts';

/** A local file as it is registered. */
export interface LocalFile {
  path: string;
  filename: string;
  url: string;
  /** ETag from the file's size and modification time. */
  version: string;
}

/** Serves local files on the loopback interface during indexing. */
export interface LocalSource {
  origin: string;
  /**
   * Offers a file; only offered files are served.
   * @param edition distinguishes this offer from earlier ones of the same unchanged file, so that it is a new version
   * @throws if the file cannot be read
   */
  offer(path: string, edition?: string): Promise<LocalFile>;
  close(): Promise<void>;
}

function versionOf(facts: Stats, edition: string): string {
  const changed = `${facts.size.toString(36)}-${Math.round(facts.mtimeMs).toString(36)}`;
  return `"${changed}${edition === '' ? '' : `-${edition}`}"`;
}

/** All files in the paths, which may be files themselves; hidden files are skipped and links not followed. */
export async function* filesBelow(paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) {
    if ((await stat(path)).isDirectory()) yield* walk(resolve(path));
    else yield resolve(path);
  }
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile()) yield path;
  }
}

/** Starts the source on a free loopback port. Its URLs contain a random token, so that others cannot guess them. */
export async function openLocalSource(): Promise<LocalSource> {
  const offered = new Map<string, { path: string; edition: string }>();
  const secret = systemRuntime.uuid();
  const server = createServer((request, response) => {
    const file = offered.get(request.url ?? '');
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    stat(file.path).then(
      (facts) => {
        response.writeHead(200, { ETag: versionOf(facts, file.edition), 'Content-Length': facts.size });
        // If the reader closes the connection early, the stream ends as well; nothing else is necessary.
        pipeline(createReadStream(file.path), response, () => undefined);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => done());
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    offer: async (path, edition = '') => {
      await access(path, constants.R_OK);
      const facts = await stat(path);
      const name = `/${secret}/${offered.size + 1}/${encodeURIComponent(basename(path))}`;
      offered.set(name, { path, edition });
      return { path, filename: basename(path), url: `${origin}${name}`, version: versionOf(facts, edition) };
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
