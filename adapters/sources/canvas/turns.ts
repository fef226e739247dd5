/** The last request of each token that is under way in this process, by a name that is no secret. */
const turns = new Map<string, Promise<void>>();

/**
 * Runs work when all earlier work of the same name has ended: Canvas counts the requests of a token together and lends it
 * fifty points for each one under way, so that two at once are throttled long before two in a row.
 */
export async function inTurn<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const before = turns.get(name) ?? Promise.resolve();
  const mine = before.then(async () => {
    signal.throwIfAborted();
    return work();
  });
  const ended = mine.then(noted, noted);
  turns.set(name, ended);
  try {
    return await mine;
  } finally {
    if (turns.get(name) === ended) turns.delete(name);
  }
}

/** The next in turn waits for the end; how it ended is told to the caller of the work. */
function noted(): void {}
