import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { CommandError, connect, deliveryPortOf } from '../connection.ts';
import { findBucket } from './lookups.ts';

const idleMs = 60_000;

/**
 * `ply bucket get <name> <key> [<file>]`: downloads an object with a signed link. The file appears when it is whole.
 * @throws CommandError
 */
export async function getObject(configuration: Configuration, words: readonly string[]): Promise<string> {
  const [name, key, target] = words;
  if (name === undefined || key === undefined || words.length > 3)
    throw new CommandError('npm run ply -- bucket get <name> <key> [<file>]');
  const connection = await connect(configuration);
  const { id } = await findBucket(connection, name);
  const { url } = await connection.ask('POST', '/sign', { bucketId: id, key });
  const path = await fileFor(target ?? '.', key);
  const response = await open(configuration, String(url), await deliveryPortOf(configuration));
  if (response.statusCode !== 200) {
    response.resume();
    throw new CommandError(`${String(url)} was answered ${String(response.statusCode)}.`);
  }
  const incomplete = `${path}.incomplete`;
  try {
    await pipeline(response, createWriteStream(incomplete));
    await rename(incomplete, path);
  } catch (error) {
    await rm(incomplete, { force: true });
    throw error;
  }
  return `${path} (${(await stat(path)).size} bytes)`;
}

/** The path of the downloaded file: in a folder it has the last segment of the key as its name. */
async function fileFor(target: string, key: string): Promise<string> {
  const path = resolve(process.env['INIT_CWD'] ?? process.cwd(), target);
  const facts = await stat(path).catch(() => null);
  return facts?.isDirectory() === true ? join(path, basename(key)) : path;
}

/** Asks for an address; where files are delivered on this machine only, its listener is asked for the hostname. */
function open({ PLY_HOST, PLY_DELIVERY_DOMAIN }: Configuration, url: string, port: number): Promise<IncomingMessage> {
  const { hostname, pathname, search } = new URL(url);
  const isLocal = PLY_DELIVERY_DOMAIN === 'localhost';
  const options = isLocal ? { host: PLY_HOST, port, path: `${pathname}${search}`, headers: { Host: hostname } } : url;
  return new Promise((resolve, reject) => {
    const request = isLocal ? requestHttp(options, resolve) : requestHttps(url, resolve);
    request
      .setTimeout(idleMs, () => request.destroy(new Error('it does not respond')))
      .once('error', (error) => reject(new CommandError(`${url} cannot be read: ${error.message}`, { cause: error })));
    request.end();
  });
}
