/**
 * A signal that is aborted as soon as one of others is. It is let go of when it is no longer needed: the engine's own
 * (`AbortSignal.any`) is held weakly until it is collected as garbage, which costs several times as much for a small file.
 */
export class EitherSignal {
  readonly #either = new AbortController();
  readonly #others: readonly { signal: AbortSignal; abort: () => void }[];

  constructor(signals: readonly AbortSignal[]) {
    this.#others = signals.map((signal) => ({ signal, abort: () => this.#either.abort(signal.reason) }));
    for (const { signal, abort } of this.#others) {
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#either.signal;
  }

  /** Nobody needs it any more: it is not aborted from now on. */
  end(): void {
    for (const { signal, abort } of this.#others) signal.removeEventListener('abort', abort);
  }
}
