/**
 * The code of a system error (`ENOENT`, ...: https://nodejs.org/api/errors.html#errorcode), or null for other errors.
 */
export function errorCodeOf(error: unknown): string | null {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}
