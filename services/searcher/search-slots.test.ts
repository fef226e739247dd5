import { SearchSlots } from './search-slots.ts';

describe('the slots of searches', () => {
  it('refuse what exceeds them at once, count it, and are free again after each end', async () => {
    let shed = 0;
    const slots = new SearchSlots(2, { inc: () => (shed += 1) });
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
    await expect(slots.run(() => Promise.resolve('fourth'))).resolves.toBe('fourth');
    end();
    await expect(first).resolves.toBe('first');
    expect(shed).toBe(1);
  });
});
