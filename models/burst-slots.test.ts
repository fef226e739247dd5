import { BurstSlots } from './burst-slots.ts';

describe('slots with a reserve for bursts', () => {
  const fill = (slots: BurstSlots, max: number): number => {
    let taken = 0;
    while (taken < 10_000 && slots.begin(max)) taken += 1;
    return taken;
  };

  it('take ten times their number in a burst, and again when all of it is over', () => {
    const slots = new BurstSlots();
    expect(fill(slots, 4)).toBe(40);
    for (let ended = 0; ended < 40; ended += 1) slots.end(4);
    expect(fill(slots, 4)).toBe(40);
  });

  it('take only their number under a lasting overload', () => {
    const slots = new BurstSlots();
    expect(fill(slots, 4)).toBe(40);
    for (let ended = 0; ended < 36; ended += 1) {
      slots.end(4);
      expect(slots.begin(4)).toBe(false);
    }
    for (let served = 0; served < 100; served += 1) {
      slots.end(4);
      expect([slots.begin(4), slots.begin(4)]).toEqual([true, false]);
    }
  });

  it('get their reserve back, one by one, while at most half of them are in use', () => {
    const slots = new BurstSlots();
    expect(fill(slots, 4)).toBe(40);
    for (let ended = 0; ended < 38; ended += 1) slots.end(4);
    for (let served = 0; served < 5; served += 1) {
      expect(slots.begin(4)).toBe(true);
      slots.end(4);
    }
    expect(fill(slots, 4)).toBe(2 + 6);
  });
});
