import { parseArgs } from 'node:util';
import type { RegionView } from '../models/bucket.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { systemRuntime } from '../models/runtime.ts';
import type { LibraryView, VideoView } from '../models/video.ts';
import { awaitActive, sizeText } from './bucket.ts';
import { CommandError, connect, type Connection } from './connection.ts';
import { askOperator } from './operator.ts';
import { printable } from './terminal.ts';
import { findLibrary, heightsText, libraries, videosOf } from './video/lookups.ts';
import { putVideos } from './video/put.ts';

const usage = `npm run ply -- video list [<library>]
npm run ply -- video create <library> [--region <code>]
npm run ply -- video put <library> <folder|file>... [--title <title>] [--no-wait]
npm run ply -- video takedown|reinstate <id>`;

type Command = (configuration: Configuration, words: readonly string[]) => Promise<string>;

const commands: { [name: string]: Command } = {
  list: async (configuration, words) => list(await connect(configuration), words),
  create,
  put: putVideos,
  takedown: (configuration, words) => takeDown(configuration, words, true),
  reinstate: (configuration, words) => takeDown(configuration, words, false),
};

/** `ply video <command>`: libraries and their videos. @throws CommandError */
export async function videoCommand(
  configuration: Configuration,
  [name = 'list', ...words]: readonly string[],
): Promise<string> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new CommandError(`Unknown: video ${printable(name)}.\n${usage}`);
  return command(configuration, words);
}

async function list(connection: Connection, [name, ...more]: readonly string[]): Promise<string> {
  if (more.length > 0) throw new CommandError(usage);
  if (name === undefined) {
    const found = await libraries(connection);
    if (found.length === 0) return 'There are no libraries. Create one: npm run ply -- video create <library>';
    return found.map(libraryLine).join('\n');
  }
  const { id } = await findLibrary(connection, name);
  const lines = (await Array.fromAsync(videosOf(connection, id))).map(videoLine);
  return lines.length === 0 ? 'There are no videos.' : lines.join('\n');
}

function libraryLine({ name, state, suspended, region, videoCount, storedBytes }: LibraryView): string {
  return [
    name.padEnd(24),
    (suspended ? 'suspended' : state).padEnd(9),
    region.padEnd(12),
    `${videoCount} ${videoCount === 1 ? 'video' : 'videos'}`,
    sizeText(storedBytes),
  ].join('  ');
}

function videoLine({ id, status, errorCode, disabled, durationSeconds, renditions, title }: VideoView): string {
  const mark = disabled ? '  (taken down)' : '';
  return [
    id,
    status.padEnd(9),
    (durationSeconds === null ? '' : timeText(durationSeconds)).padStart(8),
    errorCode ?? heightsText(renditions),
    `${printable(title)}${mark}`,
  ].join('  ');
}

/** A length of time as `1:02:03` or `2:03`, rounded to seconds. */
export function timeText(seconds: number): string {
  const all = Math.round(seconds);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const hours = Math.floor(all / 3600);
  return hours > 0 ? `${hours}:${two((all / 60) % 60)}:${two(all % 60)}` : `${Math.floor(all / 60)}:${two(all % 60)}`;
}

async function create(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { region: { type: 'string' } },
  });
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new CommandError(usage);
  const connection = await connect(configuration);
  const [first] = (await connection.ask('GET', '/regions'))['items'] as RegionView[];
  const library = { name, region: values.region ?? first?.code ?? '' };
  const { organizationId } = connection;
  // The key in the data folder is a standard one: without an admin key the operator of this machine does it.
  const { id, region } =
    configuration.PLY_API_KEY === null
      ? await askOperator(configuration, 'library.create', { organizationId, library }, 'storage')
      : await connection.ask('POST', '/libraries', library, systemRuntime.uuid());
  await awaitActive(connection, String(id));
  return `${printable(name)} (${String(region)}) takes videos: npm run ply -- video put ${printable(name)} <file>`;
}

async function takeDown(configuration: Configuration, words: readonly string[], isDown: boolean): Promise<string> {
  const [videoId, ...more] = words;
  if (videoId === undefined || more.length > 0) throw new CommandError(usage);
  const { title } = await askOperator(configuration, 'video.takedown', { videoId, isDown }, 'storage');
  return isDown
    ? `${printable(title)} is taken down: it is listed, and not played any more.`
    : `${printable(title)} is played again.`;
}
