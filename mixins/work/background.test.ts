import { Background } from './background.ts';

/** A piece of work that ends when it is told to. */
function piece(): { work: () => Promise<void>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

describe('work in the background', () => {
  it('is not waited for until as much runs as may, and then by the one that began it', async () => {
    const background = new Background(1, 0);
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

  it('begins together what comes within the time that it gathers, and at once where it is asked to end', async () => {
    const background = new Background(10, 3_600_000);
    let begun = 0;
    const work = async (): Promise<void> => void (begun += 1);
    await background.run(work);
    await background.run(work);
    expect(begun).toBe(0);
    await background.idle();
    expect(begun).toBe(2);
    const soon = new Background(10, 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    await soon.run(async () => resolve());
    await promise;
  });
});
