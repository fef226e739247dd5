/** A JSON value. Stored documents and parameters of actions consist of these. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/** Canonical JSON with sorted keys: equal for values that differ only in the order of keys. */
export function canonicalJson(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? // fromEntries defines properties, so that a key `__proto__` stays a key.
        Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)))
      : inner,
  );
}
