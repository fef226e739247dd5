import { EventBuffer, type SearchEvent } from './event-buffer.ts';

function event(id: number): SearchEvent {
  return {
    _id: `${id}:search`,
    accountId: 'account',
    organizationId: 'organization',
    assetId: null,
    metric: 'searches',
    quantity: 1,
    at: 1,
  };
}

describe('the buffer of finished searches', () => {
  it('sends every event, in batches, without delaying a search', async () => {
    const batches: number[] = [];
    const buffer = new EventBuffer({
      send: async (events) => batches.push(events.length),
      onLost: () => {
        throw new Error('nothing may be lost');
      },
      pauseMs: 1,
      capacity: 2000,
    });
    for (let id = 0; id < 1200; id += 1) buffer.add(event(id));
    expect(batches).toEqual([]);
    await buffer.stop(1000);
    expect(batches).toEqual([500, 500, 200]);
  });

  it('keeps events that the ledger did not accept, and sends them again', async () => {
    const sent: string[] = [];
    let failures = 3;
    const buffer = new EventBuffer({
      send: async (events) => {
        if (failures-- > 0) throw new Error('away');
        sent.push(...events.map((one) => one._id));
      },
      onLost: () => {
        throw new Error('nothing may be lost');
      },
      pauseMs: 1,
      capacity: 10,
    });
    buffer.add(event(1));
    await buffer.flush();
    buffer.add(event(2));
    await buffer.stop(1000);
    expect(sent).toEqual(['1:search', '2:search']);
  });

  it('reports the events that it dropped', async () => {
    let lost = 0;
    const buffer = new EventBuffer({
      send: async () => {
        throw new Error('away');
      },
      onLost: (count) => {
        lost += count;
      },
      pauseMs: 1,
      capacity: 3,
    });
    for (let id = 0; id < 5; id += 1) buffer.add(event(id));
    expect(lost).toBe(2);
    await buffer.stop(20);
    expect(lost).toBe(5);
  });
});
