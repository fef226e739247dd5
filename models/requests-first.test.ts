import { setImmediate as loop } from 'node:timers/promises';
import { RequestsFirst } from './requests-first.ts';

/** Some turns of the event loop. */
async function loops(count: number): Promise<void> {
  for (let each = 0; each < count; each += 1) await loop();
}

describe('turns of the background', () => {
  it('are given one at a time and in order while no request is in progress', async () => {
    const requests = new RequestsFirst();
    const given: number[] = [];
    const all = Promise.all([1, 2, 3].map((number) => requests.turn().then(() => given.push(number))));
    expect(given).toEqual([]);
    await all;
    expect(given).toEqual([1, 2, 3]);
  });

  it('wait only for the end of requests', async () => {
    const requests = new RequestsFirst();
    await requests.turn();
    requests.began();
    requests.began();
    let isGiven = false;
    const began = performance.now();
    const turn = requests.turn().then(() => {
      isGiven = true;
    });
    requests.ended();
    await loops(2);
    // A machine that pauses for this long gives the turn for another reason.
    expect(isGiven && performance.now() - began < 2).toBe(false);
    requests.ended();
    await turn;
    expect(isGiven).toBe(true);
  });

  it('report requests while one is in progress and shortly afterwards', () => {
    const requests = new RequestsFirst();
    expect(requests.areComing).toBe(false);
    requests.began();
    expect(requests.areComing).toBe(true);
    requests.ended();
    expect(requests.areComing).toBe(true);
  });

  it('are given even if requests never end', async () => {
    const requests = new RequestsFirst();
    let isOver = false;
    const coming = (async () => {
      while (!isOver) {
        requests.began();
        await loop();
        requests.began();
        requests.ended();
      }
    })();
    let turns = 0;
    for (; turns < 5; turns += 1) await requests.turn();
    isOver = true;
    await coming;
    expect(turns).toBe(5);
  });
});
