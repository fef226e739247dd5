import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import type { Configuration } from '../models/configuration/configuration.ts';
import type { BucketView, RegionView } from '../models/bucket.ts';
import type { ObjectView } from '../models/storage-object.ts';
import { adminOf } from './bucket/admin.ts';
import { getObject } from './bucket/get.ts';
import { findBucket, objectsBelow } from './bucket/lookups.ts';
import { putFiles } from './bucket/put.ts';
import { suspend } from './bucket/suspend.ts';
import { signObject } from './bucket/sign.ts';
import { CommandError, connect, type Connection } from './connection.ts';
import { printable } from './terminal.ts';

/** How long a new bucket may take to become active, in milliseconds. */
const activeMs = 60_000;

const usage = `npm run ply -- bucket list
npm run ply -- bucket create <name> [--region <code>] [--public] [--overwrite]
npm run ply -- bucket put <name> <folder|file>... [--prefix <prefix>]
npm run ply -- bucket get <name> <key> [<file>]
npm run ply -- bucket sign <name> <key> [--ttl <seconds>] [--ip <address>] [--hostname <host>]
npm run ply -- bucket ls <name> [<prefix>]
npm run ply -- bucket rm <name> <key>...     or, for the whole bucket: rm <name> --yes
npm run ply -- bucket suspend|unsuspend <id>`;

type Command = (given: { configuration: Configuration; words: readonly string[] }) => Promise<string>;

const commands: { [name: string]: Command } = {
  list: async ({ configuration }) => tableOf(await buckets(await connect(configuration))),
  create: ({ configuration, words }) => create(configuration, words),
  put: ({ configuration, words }) => putFiles(configuration, words),
  get: ({ configuration, words }) => getObject(configuration, words),
  sign: ({ configuration, words }) => signObject(configuration, words),
  ls: async ({ configuration, words }) => list(await connect(configuration), words),
  rm: ({ configuration, words }) => remove(configuration, words),
  suspend: ({ configuration, words }) => suspend(configuration, words, true),
  unsuspend: ({ configuration, words }) => suspend(configuration, words, false),
};

/** `ply bucket <command>`: buckets and their objects. @throws CommandError */
export async function bucket(
  configuration: Configuration,
  [name = 'list', ...words]: readonly string[],
): Promise<string> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new CommandError(`Unknown: bucket ${printable(name)}.\n${usage}`);
  return command({ configuration, words });
}

async function buckets(connection: Connection): Promise<BucketView[]> {
  return (await connection.ask('GET', '/buckets'))['items'] as BucketView[];
}

function tableOf(items: readonly BucketView[]): string {
  if (items.length === 0) return 'There are no buckets. Create one: npm run ply -- bucket create <name>';
  return items
    .map(({ name, visibility, state, suspended, region, objectCount, storedBytes }) =>
      [
        name.padEnd(24),
        visibility.padEnd(7),
        (suspended ? 'suspended' : state).padEnd(9),
        region.padEnd(12),
        `${objectCount} ${objectCount === 1 ? 'object' : 'objects'}`,
        sizeText(storedBytes),
      ].join('  '),
    )
    .join('\n');
}

/** A number of bytes for people: binary units, one decimal. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, bytes === 0 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 2 ** (10 * power);
  return `${power === 0 ? value : value.toFixed(1)} ${units[power] ?? ''}`;
}

async function create(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { region: { type: 'string' }, public: { type: 'boolean' }, overwrite: { type: 'boolean' } },
  });
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new CommandError(usage);
  const connection = await connect(configuration);
  const admin = adminOf(configuration, connection);
  const [first] = (await connection.ask('GET', '/regions'))['items'] as RegionView[];
  const { id } = await admin.create({
    name,
    region: values.region ?? first?.code ?? '',
    visibility: values.public === true ? 'public' : 'private',
    strictResidency: false,
  });
  await awaitActive(connection, id);
  const change = values.overwrite === true ? { uploadRules: { allowOverwrite: true } } : {};
  const made = await admin.change(id, change);
  const about = [made.state, made.visibility, made.region].join(', ');
  return `${printable(name)} (${about}): its files are delivered at ${made.deliveryBaseUrl}`;
}

/** Waits until a new bucket or library is in service. @throws CommandError */
export async function awaitActive(connection: Connection, bucketId: string): Promise<void> {
  const deadline = performance.now() + activeMs;
  for (;;) {
    const { state, failureReason } = await connection.ask('GET', `/buckets/${bucketId}`);
    if (state === 'active') return;
    if (state === 'failed' || performance.now() > deadline)
      throw new CommandError(`The bucket is ${String(state)} (${String(failureReason)}).`);
    await pause(100);
  }
}

async function list(connection: Connection, [name, prefix = '']: readonly string[]): Promise<string> {
  if (name === undefined) throw new CommandError(usage);
  const { id } = await findBucket(connection, name);
  const lines: string[] = [];
  for await (const object of objectsBelow(connection, id, prefix)) lines.push(lineOf(object));
  return lines.length === 0 ? 'There are no such objects.' : lines.join('\n');
}

function lineOf({ size, updatedAt, key, state }: ObjectView): string {
  const mark = state === 'disabled' ? '  (disabled)' : '';
  return `${sizeText(size).padStart(10)}  ${updatedAt}  ${printable(key)}${mark}`;
}

async function remove(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { yes: { type: 'boolean' } },
  });
  const [name, ...keys] = positionals;
  if (name === undefined || (keys.length === 0) !== (values.yes === true)) throw new CommandError(usage);
  const connection = await connect(configuration);
  const { id } = await findBucket(connection, name);
  if (keys.length === 0) {
    const { purgeAfter } = await adminOf(configuration, connection).remove(id);
    return `${name} is deleted. It can be restored until ${purgeAfter ?? ''}.`;
  }
  for (const key of keys) {
    const [object] = await Array.fromAsync(objectsBelow(connection, id, key, 1));
    if (object?.key !== key) throw new CommandError(`There is no object ${printable(key)}.`);
    await connection.ask('DELETE', `/objects/${object.id}`);
  }
  return `${keys.length} ${keys.length === 1 ? 'object' : 'objects'} deleted.`;
}
