import { setTimeout as pause } from 'node:timers/promises';
import { Gathering } from './gathering.ts';

function gather(limits: { most: number; milliseconds: number }) {
  const asked: [string, readonly number[]][] = [];
  return { asked, gathering: new Gathering<number>(limits, (owner, questions) => asked.push([owner, questions])) };
}

const long = 60_000;

describe('questions that come about the same time', () => {
  it('are asked together when all that were expected are there', () => {
    const { asked, gathering } = gather({ most: 4, milliseconds: long });
    for (let each = 0; each < 3; each += 1) gathering.expect('a');
    gathering.expect('b');
    gathering.add('a', 1);
    gathering.add('a', 2);
    expect(asked).toEqual([]);
    gathering.add('b', 9);
    gathering.add('a', 3);
    expect(asked).toEqual([['b', [9]], ['a', [1, 2, 3]]]);
    gathering.expect('a');
    gathering.add('a', 4);
    expect(asked[2]).toEqual(['a', [4]]);
  });

  it('are no more than a group takes', () => {
    const { asked, gathering } = gather({ most: 2, milliseconds: long });
    for (let each = 0; each < 5; each += 1) gathering.expect('a');
    for (let each = 0; each < 5; each += 1) gathering.add('a', each);
    expect(asked).toEqual([['a', [0, 1]], ['a', [2, 3]], ['a', [4]]]);
  });

  it('do not wait longer than they may for one that does not come', async () => {
    const { asked, gathering } = gather({ most: 4, milliseconds: 20 });
    for (let each = 0; each < 3; each += 1) gathering.expect('a');
    gathering.add('a', 1);
    gathering.add('a', 2);
    await pause(5);
    expect(asked).toEqual([]);
    await pause(60);
    expect(asked).toEqual([['a', [1, 2]]]);
    gathering.add('a', 3);
    expect(asked[1]).toEqual(['a', [3]]);
  });
});
