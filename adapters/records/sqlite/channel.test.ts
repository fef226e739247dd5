import { Channel } from './channel.ts';

const limits = { together: 1, inFlight: 1, waiting: 10, characters: 1000 };
const dying = new URL('./testing/dying-worker.ts', import.meta.url);

describe('the way to a thread of the store', () => {
  it('refuses all that waits and tells once when the thread ends by itself', async () => {
    const heard: string[] = [];
    const channel = await Channel.open<string>(dying, 'a file', limits, (cause) => heard.push(cause.message));
    const sent = await Promise.allSettled([channel.send('things', 'one', 1), channel.send('things', 'two', 1)]);
    expect(sent.map((each) => (each.status === 'rejected' && each.reason instanceof Error ? each.reason.name : 'none'))).toEqual(['StoreUnavailable', 'StoreUnavailable']);
    await expect(channel.send('things', 'three', 1)).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect(heard).toEqual([expect.stringContaining('the worker died')]);
    expect(channel.failure?.message).toContain('the worker died');
  });

  it('tells nothing when it is closed', async () => {
    const heard: string[] = [];
    const channel = await Channel.open<string>(dying, 'a file', limits, (cause) => heard.push(cause.message));
    await channel.close();
    expect(heard).toEqual([]);
  });
});
