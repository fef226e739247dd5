/** A query string's parameters in the order sent, names and values decoded (`+` is a space). */
export type QueryParameters = Map<string, (string | null)[]>;

const keyNames = new Set(['apikey', 'api_key', 'api-key', 'x-api-key', 'authorization', 'access_key']);

/**
 * Decodes a name repeatedly while it changes, so that nested escapes hide nothing. Percent signs that were escaped many
 * times are decoded in one step, so that a few rounds suffice.
 */
function decodedFully(name: string): string {
  let decoded = name.replaceAll('+', ' ');
  for (let round = 0; round < 5 && decoded.includes('%'); round += 1) {
    const next = decoded
      .replace(/%(25)+/g, '%')
      .replace(/(%[0-9a-f]{2})+/gi, (escapes) => Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'));
    if (next === decoded) break;
    decoded = next;
  }
  // The equals sign may have been escaped, and the question mark doubled.
  const [first = ''] = decoded.split('=', 1);
  return first
    .replace(/^[\s?]+/, '')
    .trim()
    .toLowerCase();
}

/** Whether a query string has a parameter named like an API key, in any letter case or escaping. */
export function holdsKey(search: string): boolean {
  if (search === '') return false;
  return search.split('&').some((pair) => {
    const equals = pair.indexOf('=');
    return keyNames.has(decodedFully(equals < 0 ? pair : pair.slice(0, equals)));
  });
}

function decoded(text: string): string | null {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // Malformed escapes: no rule accepts null.
    return null;
  }
}

/** Parses a query string without its question mark. A value with malformed escapes is null; such a name is skipped. */
export function parseQuery(search: string): QueryParameters {
  const parameters: QueryParameters = new Map();
  if (search === '') return parameters;
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    if (name === null) continue;
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1));
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return parameters;
}
