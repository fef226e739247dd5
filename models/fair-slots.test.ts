import { FairSlots } from './fair-slots.ts';

const calm = new AbortController().signal;

/** Records the order in which callers get their slots. */
function recorder(slots: FairSlots): {
  served: string[];
  ask(owner: string, part: string, signal?: AbortSignal): Promise<void>;
  release(): Promise<void>;
} {
  const served: string[] = [];
  return {
    served,
    ask: async (owner, part, signal = calm) => {
      await slots.acquire(signal, owner, part);
      served.push(`${owner}${part}`);
    },
    release: async () => {
      slots.release();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('fair slots', () => {
  it('are held by as many callers as there are slots', async () => {
    const { served, ask, release } = recorder(new FairSlots(2));
    const asked = [ask('A', '1'), ask('A', '2'), ask('A', '3')];
    await Promise.all(asked.slice(0, 2));
    expect(served).toEqual(['A1', 'A2']);
    await release();
    await asked[2];
    expect(served).toHaveLength(3);
  });

  it('go to each owner in turn, and within it to each part', async () => {
    const { served, ask, release } = recorder(new FairSlots(1, 0));
    const asked = [
      ask('A', '1'),
      ask('A', '1'),
      ask('A', '1'),
      ask('A', '2'),
      ask('A', '2'),
      ask('B', '1'),
      ask('B', '1'),
      ask('C', '1'),
    ];
    for (let count = 0; count < asked.length; count++) await release();
    await Promise.all(asked);
    expect(served).toEqual(['A1', 'A1', 'B1', 'C1', 'A2', 'B1', 'A1', 'A2']);
  });

  it('are not given to callers that were aborted', async () => {
    const { served, ask, release } = recorder(new FairSlots(1));
    const giving = new AbortController();
    const first = ask('A', '1');
    const second = ask('A', '2', giving.signal);
    const third = ask('B', '1');
    await first;
    giving.abort(new Error('not any more'));
    await expect(second).rejects.toThrow('not any more');
    await release();
    await third;
    await release();
    await expect(ask('A', '3', giving.signal)).rejects.toThrow('not any more');
    await ask('A', '4');
    expect(served).toEqual(['A1', 'B1', 'A4']);
  });
});
