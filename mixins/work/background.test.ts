import { Background } from './background.ts';

/** A piece of work that ends when it is told to. */
function piece(): { work: () => Promise<void>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

describe('work in the background', () => {
  it('is not waited for until as much runs as may, and then by the one that began it', async () => {
    const background = new Background(1);
    const [first, second] = [piece(), piece()];
    await background.run(first.work);
    let isOver = false;
    const waiting = background.run(second.work).then(() => (isOver = true));
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    second.end();
    await waiting;
    let isIdle = false;
    const idle = background.idle().then(() => (isIdle = true));
    await new Promise(setImmediate);
    expect(isIdle).toBe(false);
    first.end();
    await idle;
  });

  it('is waited for with what it begins', async () => {
    const background = new Background(2);
    const [first, second] = [piece(), piece()];
    let isOver = false;
    await background.run(async () => {
      await first.work();
      await background.run(() => second.work().then(() => (isOver = true)));
    });
    const idle = background.idle();
    first.end();
    setImmediate(second.end);
    await idle;
    expect(isOver).toBe(true);
  });
});
