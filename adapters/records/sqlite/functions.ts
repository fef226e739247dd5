import type { DatabaseSync } from 'node:sqlite';
import { fragmentsFunction, fragmentsOf } from './fragments.ts';
import { containsFunction } from './sql.ts';

/** Name of the SQL function that is true while a statement is within its time, and ends the statement after that. */
export const inTimeFunction = 'ply_in_time';

/** Whether a text holds a lower-case needle, ignoring case: the body of `ply_contains`. */
export function contains(text: unknown, needle: unknown): number {
  return typeof text === 'string' && typeof needle === 'string' && text.toLowerCase().includes(needle) ? 1 : 0;
}

/** Rows between two looks at the clock, which costs more than the rest of a call. */
const rowsBetweenLooks = 256;

/**
 * Limits the time of a statement. SQLite offers no interruption here, so each visited row asks: `check` throws once the
 * time is over, which fails the statement.
 */
export class StatementClock {
  readonly #maxMs: number;
  #deadline = Infinity;
  #rows = 0;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** A statement begins. */
  start(): void {
    this.#deadline = performance.now() + this.#maxMs;
  }

  /** Whether the statement's time is over. */
  get isOver(): boolean {
    return performance.now() > this.#deadline;
  }

  /** Called for each row that a statement visits. @throws Error if its time is over */
  check(): number {
    if (++this.#rows % rowsBetweenLooks === 0 && this.isOver)
      throw new Error(`a statement took longer than ${this.#maxMs} ms`);
    return 1;
  }
}

/** Registers the functions that statements of this store call. */
export function registerFunctions(database: DatabaseSync, clock: StatementClock = new StatementClock(Infinity)): void {
  database.function(containsFunction, { deterministic: true }, contains);
  database.function(fragmentsFunction, { deterministic: true }, fragmentsOf);
  database.function(inTimeFunction, { deterministic: false }, () => clock.check());
}
