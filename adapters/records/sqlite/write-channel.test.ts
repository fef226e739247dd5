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

  it('changes the version of a collection before a write to it resolves, and of no other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-channel-'));
    const channel = await WriteChannel.open(
      new URL('./writer.ts', import.meta.url),
      join(folder, 'records.db'),
      limits,
    );
    const before = [channel.versionOf('things'), channel.versionOf('others')];
    await channel.send('things', purge, 1);
    expect(channel.versionOf('things')).not.toBe(before[0]);
    expect(channel.versionOf('others')).toBe(before[1]);
    await channel.close();
    rmSync(folder, { recursive: true });
  });
});
