import { Hands } from './hands.ts';

describe('the jobs in the hands of a worker', () => {
  it('are written at once where an organization has few of them, however many others have', () => {
    const hands = new Hands();
    for (const organization of ['many', 'many', 'many', 'few', 'few']) hands.take(organization);
    expect([hands.held, hands.hasteOf('many'), hands.hasteOf('few'), hands.hasteOf('none')]).toEqual([5, 'patient', 'prompt', 'prompt']);
    hands.letGo('many');
    hands.take('few');
    expect([hands.held, hands.hasteOf('many'), hands.hasteOf('few')]).toEqual([5, 'prompt', 'patient']);
    for (const organization of ['many', 'many', 'few', 'few', 'few']) hands.letGo(organization);
    hands.take('few');
    expect([hands.held, hands.hasteOf('few')]).toEqual([1, 'prompt']);
  });
});
