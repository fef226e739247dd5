import { systemRuntime, timeOrderedUuid } from './runtime.ts';

describe('an id that begins with the time', () => {
  it('is a UUID of version 7, sorts by time and differs at one time', () => {
    const at = (now: number): string => timeOrderedUuid({ now: () => now, uuid: systemRuntime.uuid });
    expect(at(0x0123456789ab)).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(at(1_700_000_000_000) < at(1_700_000_000_001)).toBe(true);
    expect(new Set(Array.from({ length: 1000 }, () => at(5))).size).toBe(1000);
  });
});
