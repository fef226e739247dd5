/** A value of metadata as the API takes it. */
type Value = string | number | boolean | (string | number | boolean)[];

/** Metadata as lines of `name: value`; lists and texts that would be read as something else stand in JSON. */
export function textOfMetadata(metadata: { readonly [name: string]: unknown }): string {
  return Object.entries(metadata)
    .map(
      ([name, value]) =>
        `${name}: ${typeof value === 'string' && valueOf(value) === value ? value : JSON.stringify(value)}`,
    )
    .join('\n');
}

/** Metadata of lines of `name: value`. Numbers, true, false and JSON lists and texts are read as such. */
export function metadataOf(text: string): { [name: string]: Value } {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const at = line.indexOf(':');
      const name = (at < 0 ? line : line.slice(0, at)).trim();
      return name === '' ? [] : [[name, valueOf(at < 0 ? '' : line.slice(at + 1))] as const];
    }),
  );
}

const isSimple = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

function valueOf(sent: string): Value {
  const text = sent.trim();
  try {
    const value: unknown = JSON.parse(text);
    if (isSimple(value) || (Array.isArray(value) && value.every(isSimple))) return value;
    return text;
  } catch {
    return text;
  }
}
