import fc from 'fast-check';
import { ReaderPace } from './reader-pace.ts';

describe('the pace of a reader', () => {
  it('is never too slow from 4 KiB a second on, in pieces of any size', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2 ** 18), { maxLength: 50 }),
        fc.integer({ min: 4096, max: 2 ** 20 }),
        (pieces, rate) => {
          const pace = new ReaderPace();
          for (const bytes of pieces) {
            pace.took(bytes, (bytes / rate) * 1000);
            expect(pace.isTooSlow).toBe(false);
          }
        },
      ),
    );
  });

  it('is too slow below that, but not in the first 30 seconds', () => {
    const pace = new ReaderPace();
    for (let second = 1; second <= 31; second += 1) {
      expect(pace.isTooSlow).toBe(false);
      pace.took(4000, 1000);
    }
    expect(pace.isTooSlow).toBe(true);
  });

  it('counts what was taken at once', () => {
    const pace = new ReaderPace();
    pace.took(4096 * 100, 0);
    pace.took(1, 99_000);
    expect(pace.isTooSlow).toBe(false);
    pace.took(1, 2000);
    expect(pace.isTooSlow).toBe(true);
  });
});
