import { createReadStream, type Stats } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream';

/** A local file as it is registered. */
export interface LocalFile {
  path: string;
  filename: string;
  url: string;
  /** ETag: changes with the file's size and time of change. */
  version: string;
}

/** Serves local files on the loopback interface while they are indexed. */
export interface LocalSource {
  origin: string;
  /** Offers a file; only what was offered is served. */
  offer(path: string): Promise<LocalFile>;
  close(): Promise<void>;
}

function versionOf(facts: Stats): string {
  return `"${facts.size.toString(36)}-${Math.round(facts.mtimeMs).toString(36)}"`;
}

/** Every file below the paths (files stand for themselves), without hidden ones; links are not followed. */
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

/** Starts the source on a free loopback port. */
export async function openLocalSource(): Promise<LocalSource> {
  const offered = new Map<string, string>();
  const server = createServer((request, response) => {
    const path = offered.get(request.url ?? '');
    if (path === undefined) {
      response.writeHead(404).end();
      return;
    }
    stat(path).then((facts) => {
      response.writeHead(200, { ETag: versionOf(facts), 'Content-Length': facts.size });
      // A reader that goes away early ends the file's stream too; there is nothing else to do about it.
      pipeline(createReadStream(path), response, () => undefined);
    }, () => response.writeHead(404).end());
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => done());
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    offer: async (path) => {
      const name = `/${offered.size + 1}/${encodeURIComponent(basename(path))}`;
      offered.set(name, path);
      return { path, filename: basename(path), url: `${origin}${name}`, version: versionOf(await stat(path)) };
    },
    close: () => new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    }),
  };
}
