import { setImmediate as turn } from 'node:timers/promises';
import { Turns } from './turns.ts';

describe('turns', () => {
  it('are given one for each turn of the event loop, and go on when more come', async () => {
    const turns = new Turns();
    const had: number[] = [];
    const all = [1, 2, 3].map(async (number) => {
      await turns.next('one');
      had.push(number);
    });
    const seen: number[][] = [];
    for (let round = 0; round < 4; round += 1) {
      await turn();
      seen.push([...had]);
    }
    expect(seen).toEqual([[1], [1, 2], [1, 2, 3], [1, 2, 3]]);
    await Promise.all(all);
    await turns.next('one');
  });

  it('alternate between organizations', async () => {
    const turns = new Turns();
    const had: string[] = [];
    const asked = [...Array.from({ length: 20 }, () => 'much'), 'little'].map(async (organization) => {
      await turns.next(organization);
      had.push(organization);
    });
    await Promise.all(asked);
    expect(had).toHaveLength(21);
    expect(had.indexOf('little')).toBeLessThan(6);
  });
});
