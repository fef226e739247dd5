import { parseArgs } from 'node:util';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { CommandError, connect } from '../connection.ts';
import { findBucket } from './lookups.ts';

const usage = 'npm run ply -- bucket sign <name> <key> [--ttl <seconds>] [--ip <address>] [--hostname <host>]';

/** `ply bucket sign <name> <key>`: the address that a file is read at. @throws CommandError */
export async function signObject(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { ttl: { type: 'string' }, ip: { type: 'string' }, hostname: { type: 'string' } },
  });
  const [name, key, ...more] = positionals;
  if (name === undefined || key === undefined || more.length > 0) throw new CommandError(usage);
  const { ttl, ip, hostname } = values;
  const connection = await connect(configuration);
  const { id } = await findBucket(connection, name);
  const { url, expiresAt } = await connection.ask('POST', '/sign', {
    bucketId: id,
    key,
    ...(ttl === undefined ? {} : { ttlSeconds: Number(ttl) }),
    ...(ip === undefined ? {} : { ip }),
    ...(hostname === undefined ? {} : { hostname }),
  });
  return typeof expiresAt === 'string' ? `${String(url)}\nIt expires at ${expiresAt}.` : String(url);
}
