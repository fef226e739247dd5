import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WriteRequest } from './messages.ts';
import { WriteChannel } from './write-channel.ts';

const limits = {
  maxPerMessage: 1,
  maxInFlight: 1,
  maxQueued: 10,
  maxCharacters: 1000,
};
const dying = new URL('./testing/dying-worker.ts', import.meta.url);
const purge: WriteRequest = { kind: 'purge' };

describe('the channel to the writer thread', () => {
  it('rejects all pending work and reports once if the thread exits', async () => {
    const reported: string[] = [];
    const channel = await WriteChannel.open(dying, 'a file', limits, (cause) => reported.push(cause.message));
    const sent = await Promise.allSettled([channel.send('things', purge, 1), channel.send('things', purge, 1)]);
    expect(
      sent.map((each) => (each.status === 'rejected' && each.reason instanceof Error ? each.reason.name : 'none')),
    ).toEqual(['StoreUnavailable', 'StoreUnavailable']);
    await expect(channel.send('things', purge, 1)).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect(reported).toEqual([expect.stringContaining('the worker died')]);
    expect(channel.failure?.message).toContain('the worker died');
  });

  it('reports nothing when it is closed', async () => {
    const reported: string[] = [];
    const channel = await WriteChannel.open(dying, 'a file', limits, (cause) => reported.push(cause.message));
    await channel.close();
    expect(reported).toEqual([]);
  });

  it('knows which documents a write has touched before it resolves, and gets changed documents where it wants them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-channel-'));
    const channel = await WriteChannel.open(
      new URL('./writer.ts', import.meta.url),
      join(folder, 'records.db'),
      limits,
    );
    const [things, others] = [channel.touchedOf('things'), channel.touchedOf('others')];
    const before = [things.version, others.version];
    const table = '"things"';
    const collection = { name: 'things', table, columns: [], indexes: [], substrings: [] };
    await channel.send('prepare', { kind: 'prepare', collections: [collection] }, 1);
    await channel.send('things', { kind: 'insert', table, id: 'a', doc: '{"_id":"a"}' }, 1);
    const read = things.version;
    expect(read).not.toBe(before[0]);
    const change = { table, where: '1', values: [] };
    const update = { kind: 'update', ...change, id: 'a', change: '{"set":{"n":1}}' } as const;
    expect(await channel.send('things', { ...update, isWanted: true }, 1)).toBe('{"_id":"a","n":1}');
    expect(await channel.send('things', { ...update, isWanted: false }, 1)).toBe(true);
    expect([things.isTouched('a', read), things.isTouched('b', read), others.version]).toEqual([
      true,
      false,
      before[1],
    ]);
    await channel.send('things', { kind: 'removeMany', ...change, limit: 1 }, 1);
    expect(things.isTouched('b', read)).toBe(true);
    await channel.close();
    rmSync(folder, { recursive: true });
  });
});
