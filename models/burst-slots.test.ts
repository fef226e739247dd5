import { BurstSlots } from './burst-slots.ts';

/** Slots at a clock that the test moves, with callers of which each waits for those before it. */
class Bench {
  readonly max: number;
  #now = 0;
  readonly #slots = new BurstSlots(() => this.#now);
  running = 0;

  constructor(max: number) {
    this.max = max;
  }

  begin(): boolean {
    const begun = this.#slots.begin(this.max);
    if (begun) this.running += 1;
    return begun;
  }

  /** Begins as many as possible; returns how many run then. */
  fill(): number {
    for (let tries = 0; tries < 10_000; tries += 1) if (!this.begin()) return this.running;
    throw new Error('there is no limit');
  }

  end(count = 1): void {
    for (let ended = 0; ended < count; ended += 1) this.#slots.end(this.max);
    this.running -= count;
  }

  /** Lets time pass, at the end of which one is done. */
  work(milliseconds: number): void {
    this.#now += milliseconds;
    this.end();
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  /** One after another, each for as long as given: what a calm time teaches. */
  teach(count: number, milliseconds: number): void {
    for (let done = 0; done < count; done += 1) {
      this.begin();
      this.work(milliseconds);
    }
  }
}

/**
 * The milliseconds of accepted searches over a store that answers one after another: first to eight readers who ask again
 * when they are answered, then at three times that rate.
 */
function overloadOf(
  serviceMs: number,
  seconds: number,
): { atCapacity: number[]; overloaded: number[]; refused: number } {
  let now = 0;
  const slots = new BurstSlots(() => now);
  const begun: number[] = [];
  const [atCapacity, overloaded]: [number[], number[]] = [[], []];
  const serve = (times: number[]): void => {
    now += serviceMs;
    slots.end(10);
    times.push(now - (begun.shift() ?? now));
  };
  const ask = (): boolean => {
    const isAccepted = slots.begin(10);
    if (isAccepted) begun.push(now);
    return isAccepted;
  };
  for (let reader = 0; reader < 8; reader += 1) ask();
  while (now < 30_000) {
    serve(atCapacity);
    ask();
  }
  while (begun.length > 0) serve([]);
  const end = now + seconds * 1000;
  let refused = 0;
  while (now < end) {
    for (let arrived = 0; arrived < 3; arrived += 1) if (!ask()) refused += 1;
    serve(overloaded);
  }
  return { atCapacity, overloaded, refused };
}

const p95 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN;

describe('slots with a reserve for bursts', () => {
  it.each([
    ['fast', 7, 60],
    ['slow', 200, 8],
    ['slow', 200, 60],
  ])(
    'answer what they accept of three times the capacity of a %s store (%d ms) in time, for %d s',
    (_, service, seconds) => {
      const { atCapacity, overloaded, refused } = overloadOf(service, seconds);
      expect(p95(overloaded) / p95(atCapacity)).toBeLessThan(1.5);
      expect(refused).toBeGreaterThan(1.7 * overloaded.length);
    },
  );

  it('take what fifty a second do in 1.5 seconds, until they have measured', () => {
    expect(new Bench(10).fill()).toBe(75);
    expect(new Bench(4).fill()).toBe(40);
    expect(new Bench(200).fill()).toBe(200);
  });

  it('take ten times their number where work is fast, also after a pause, and again when all of it is over', () => {
    const bench = new Bench(10);
    bench.teach(1000, 8);
    bench.pass(3_600_000);
    expect(bench.fill()).toBe(100);
    bench.end(100);
    expect(bench.fill()).toBe(100);
  });

  it('take only their number where work is slow, and part of a reserve in between', () => {
    const slow = new Bench(10);
    slow.teach(50, 200);
    expect(slow.fill()).toBe(10);
    const faster = new Bench(10);
    faster.teach(500, 50);
    expect(faster.fill()).toBe(30);
  });

  it('notice within seconds that work got slow, or stands still', () => {
    const slower = new Bench(10);
    slower.teach(1000, 8);
    slower.begin();
    for (let done = 0; done < 20; done += 1) {
      slower.begin();
      slower.work(200);
    }
    expect(slower.fill()).toBeLessThanOrEqual(20);
    const stuck = new Bench(10);
    stuck.teach(1000, 8);
    for (let begun = 0; begun < 20; begun += 1) stuck.begin();
    stuck.pass(30_000);
    expect(stuck.begin()).toBe(false);
  });

  it('serve callers that the reserve holds, each asking again when it is answered, without a refusal', () => {
    const bench = new Bench(10);
    bench.teach(100, 8);
    for (let caller = 0; caller < 48; caller += 1) expect(bench.begin()).toBe(true);
    for (let served = 0; served < 5000; served += 1) {
      bench.work(8);
      expect(bench.begin()).toBe(true);
    }
  });

  it('take only their number under a lasting overload', () => {
    const bench = new Bench(10);
    bench.teach(1000, 8);
    expect(bench.fill()).toBe(100);
    while (bench.running > 10) {
      bench.work(8);
      if (bench.running >= 10) expect(bench.begin()).toBe(false);
      else break;
    }
    for (let served = 0; served < 1000; served += 1) {
      bench.work(8);
      expect([bench.begin(), bench.begin()]).toEqual([true, false]);
    }
  });

  it('open their reserve again, one by one, while at most half of them are in use', () => {
    const bench = new Bench(4);
    bench.teach(1000, 8);
    expect(bench.fill()).toBe(40);
    bench.end(38);
    for (let served = 0; served < 5; served += 1) {
      expect(bench.begin()).toBe(true);
      bench.work(8);
    }
    // Those that ended at two of four: one of the 38, and five.
    expect(bench.fill()).toBe(4 + 6);
  });

  it('have no limit where their number has none', () => {
    const slots = new BurstSlots(() => 0);
    for (let begun = 0; begun < 1000; begun += 1) expect(slots.begin(Infinity)).toBe(true);
    for (let begun = 0; begun < 1000; begun += 1) slots.end(Infinity);
    expect(slots.begin(Infinity)).toBe(true);
  });
});
