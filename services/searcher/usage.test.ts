import { UsageBuffer, type SearchEvent } from './usage.ts';

function event(id: number): SearchEvent {
  return { _id: `${id}:search`, accountId: 'account', organizationId: 'organization', assetId: null, metric: 'searches', quantity: 1, at: 1 };
}

describe('the buffer of finished searches', () => {
  it('hands over every event, in batches, without a search waiting', async () => {
    const batches: number[] = [];
    const buffer = new UsageBuffer({ send: async (events) => batches.push(events.length), lost: () => { throw new Error('nothing may be lost'); }, pause: 1, capacity: 2000 });
    for (let id = 0; id < 1200; id += 1) buffer.add(event(id));
    expect(batches).toEqual([]);
    await buffer.stop(1000);
    expect(batches).toEqual([500, 500, 200]);
  });

  it('keeps what the ledger did not take, and sends it again', async () => {
    const sent: string[] = [];
    let failures = 3;
    const buffer = new UsageBuffer({
      send: async (events) => {
        if (failures-- > 0) throw new Error('away');
        sent.push(...events.map((one) => one._id));
      },
      lost: () => { throw new Error('nothing may be lost'); },
      pause: 1,
      capacity: 10,
    });
    buffer.add(event(1));
    await buffer.flush();
    buffer.add(event(2));
    await buffer.stop(1000);
    expect(sent).toEqual(['1:search', '2:search']);
  });

  it('says aloud what it could not keep', async () => {
    let lost = 0;
    const buffer = new UsageBuffer({ send: async () => { throw new Error('away'); }, lost: (count) => { lost += count; }, pause: 1, capacity: 3 });
    for (let id = 0; id < 5; id += 1) buffer.add(event(id));
    expect(lost).toBe(2);
    await buffer.stop(20);
    expect(lost).toBe(5);
  });
});
