import { SearchSlots } from './search-slots.ts';

describe('the slots of searches', () => {
  it('refuse what exceeds them and their reserve at once, count it, and are free again after each end', async () => {
    let shed = 0;
    const slots = new SearchSlots(2, { inc: () => (shed += 1) }, () => 0);
    const ends: (() => void)[] = [];
    const others = Array.from({ length: 18 }, () =>
      slots.run(() => new Promise<void>((resolve) => ends.push(resolve))),
    );
    let end = (): void => undefined;
    const first = slots.run(() => new Promise<string>((resolve) => (end = () => resolve('first'))));
    const failing = slots.run(() => Promise.reject(new Error('a store is away')));
    await expect(slots.run(() => Promise.resolve('third'))).rejects.toMatchObject({
      code: 503,
      type: 'content_service_unavailable',
      data: { retryable: true, retryAfter: 1 },
    });
    expect(shed).toBe(1);
    await expect(failing).rejects.toThrow('a store is away');
    for (const each of ends.splice(0, 18)) each();
    await new Promise((resolve) => setImmediate(resolve));
    await expect(slots.run(() => Promise.resolve('fourth'))).resolves.toBe('fourth');
    end();
    await expect(first).resolves.toBe('first');
    for (const each of ends) each();
    await Promise.all(others);
    expect(shed).toBe(1);
  });
});
