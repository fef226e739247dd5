/** A value that is there already, or will be. */
export type Soon<T> = T | Promise<T>;

/** Whether it will only be. Promises may come from several realms, so it is told by its form. */
export function isLater<T>(value: Soon<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Goes on with a value: at once where it is there. An `await` would end the turn, and costs more than most checks. */
export function then<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return isLater(value) ? value.then(next) : next(value);
}
