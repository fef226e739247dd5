import { beginOfNight, nextNight, offsetInHour } from './night.ts';

const day = 86_400_000;
const hour = 3_600_000;
/** An offset of zero would hide errors: these connectors have others. */
const ids = Array.from({ length: 200 }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`);
const [id = ''] = ids;
const offset = offsetInHour(id);

/** The start of the night on a date of a time zone. */
function begins(date: string, timeZone: string): string {
  return new Date(beginOfNight(Date.parse(date) / day, timeZone)).toISOString();
}

/** The nightly syncs of a connector between two instants. */
function nights(from: string, to: string, timeZone: string): string[] {
  const found: string[] = [];
  for (let at = nextNight(Date.parse(from), timeZone, id); at < Date.parse(to); at = nextNight(at, timeZone, id))
    found.push(new Date(at - offset).toISOString());
  return found;
}

describe('nights', () => {
  it.each([
    ['an ordinary day', '2026-06-15', 'Europe/Berlin', '2026-06-15T00:00:00.000Z'],
    ['a day of winter', '2026-01-15', 'Europe/Berlin', '2026-01-15T01:00:00.000Z'],
    ['clocks that jump over 02:00, in Europe', '2026-03-29', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['clocks that show 02:00 twice, in Europe', '2026-10-25', 'Europe/Berlin', '2026-10-25T00:00:00.000Z'],
    ['clocks that jump over 02:00, in America', '2026-03-08', 'America/New_York', '2026-03-08T07:00:00.000Z'],
    ['clocks that go back from 02:00, in America', '2026-11-01', 'America/New_York', '2026-11-01T07:00:00.000Z'],
    ['clocks that go back from 03:00, in the south', '2026-04-05', 'Australia/Sydney', '2026-04-04T15:00:00.000Z'],
    ['clocks that change by half an hour', '2026-10-04', 'Australia/Lord_Howe', '2026-10-03T15:30:00.000Z'],
    ['a zone far ahead', '2026-06-15', 'Pacific/Kiritimati', '2026-06-14T12:00:00.000Z'],
    ['a zone far behind', '2026-06-15', 'Pacific/Pago_Pago', '2026-06-15T13:00:00.000Z'],
    ['a zone of quarters', '2026-06-15', 'Asia/Kathmandu', '2026-06-14T20:15:00.000Z'],
    ['UTC', '2026-06-15', 'UTC', '2026-06-15T02:00:00.000Z'],
  ])('begin at 02:00 on %s', (_, date, timeZone, expected) => {
    expect(begins(date, timeZone)).toBe(expected);
  });

  it('come once a day also when the clocks change', () => {
    expect(nights('2026-03-27T12:00:00Z', '2026-03-31T12:00:00Z', 'Europe/Berlin')).toEqual([
      '2026-03-28T01:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:00:00.000Z',
      '2026-03-31T00:00:00.000Z',
    ]);
    expect(nights('2026-10-23T12:00:00Z', '2026-10-27T12:00:00Z', 'Europe/Berlin')).toEqual([
      '2026-10-24T00:00:00.000Z',
      '2026-10-25T00:00:00.000Z',
      '2026-10-26T01:00:00.000Z',
      '2026-10-27T01:00:00.000Z',
    ]);
  });

  it.each([
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Africa/Casablanca',
    'Pacific/Apia',
    'Asia/Tehran',
    'UTC',
  ])('come once a day through the years in %s', (timeZone) => {
    const all = nights('2024-01-01T12:00:00Z', '2027-01-01T12:00:00Z', timeZone).map((text) => Date.parse(text));
    expect(all).toHaveLength(1096);
    const gaps = all.slice(1).map((at, before) => at - (all[before] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(23 * hour);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(25 * hour);
  });

  it('skip a day that a time zone skips', () => {
    // Samoa skipped the 30th of December 2011.
    const all = nights('2011-12-28T00:00:00Z', '2012-01-02T00:00:00Z', 'Pacific/Apia').map((text) => Date.parse(text));
    expect(all.slice(1).map((at, before) => at - (all[before] ?? 0))).toEqual([day, day, day, day]);
  });

  it('are spread over an hour, each connector at its own offset', () => {
    const offsets = ids.map(offsetInHour);
    expect(offsets).toEqual(ids.map(offsetInHour));
    expect(Math.min(...offsets)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...offsets)).toBeLessThan(hour);
    for (let sixth = 0; sixth < 6; sixth += 1)
      expect(offsets.filter((at) => Math.floor(at / (hour / 6)) === sixth).length).toBeGreaterThan(10);
  });

  it('start after the given instant', () => {
    const night = nextNight(Date.parse('2026-06-15T12:00:00Z'), 'UTC', id);
    expect(new Date(night - offset).toISOString()).toBe('2026-06-16T02:00:00.000Z');
    expect(nextNight(night - 1, 'UTC', id)).toBe(night);
    expect(nextNight(night, 'UTC', id)).toBe(night + day);
    expect(() => nextNight(0, 'Nowhere/Land', id)).toThrow(RangeError);
  });
});
