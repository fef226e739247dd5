import { FairPlaces } from './places.ts';

const calm = new AbortController().signal;

/** Notes who gets a place in which order, each leaving when told. */
function counter(places: FairPlaces): { served: string[]; ask(organizationId: string, recording: string, signal?: AbortSignal): Promise<void>; leaveOne(): Promise<void> } {
  const served: string[] = [];
  const leaving: (() => void)[] = [];
  return {
    served,
    ask: async (organizationId, recording, signal = calm) => {
      const leave = await places.enter({ organizationId, recording }, signal);
      served.push(`${organizationId}${recording}`);
      leaving.push(leave);
    },
    leaveOne: async () => {
      leaving.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('places', () => {
  it('are as many as there are', async () => {
    const { served, ask, leaveOne } = counter(new FairPlaces(2));
    const asked = [ask('A', '1'), ask('A', '2'), ask('A', '3')];
    await Promise.all(asked.slice(0, 2));
    expect(served).toEqual(['A1', 'A2']);
    await leaveOne();
    await asked[2];
    expect(served).toHaveLength(3);
  });

  it('go to each organization in turn, and within it to each recording', async () => {
    const { served, ask, leaveOne } = counter(new FairPlaces(1));
    const asked = [ask('A', '1'), ask('A', '1'), ask('A', '1'), ask('A', '2'), ask('A', '2'), ask('B', '1'), ask('B', '1'), ask('C', '1')];
    for (let count = 0; count < asked.length; count++) await leaveOne();
    await Promise.all(asked);
    expect(served).toEqual(['A1', 'A1', 'B1', 'C1', 'A2', 'B1', 'A1', 'A2']);
  });

  it('are not waited for by who has given up', async () => {
    const { served, ask, leaveOne } = counter(new FairPlaces(1));
    const giving = new AbortController();
    const first = ask('A', '1');
    const second = ask('A', '2', giving.signal);
    const third = ask('B', '1');
    await first;
    giving.abort(new Error('not any more'));
    await expect(second).rejects.toThrow('not any more');
    await leaveOne();
    await third;
    await leaveOne();
    await expect(ask('A', '3', giving.signal)).rejects.toThrow('not any more');
    await ask('A', '4');
    expect(served).toEqual(['A1', 'B1', 'A4']);
  });
});
