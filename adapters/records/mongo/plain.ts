const mark = '_bsontype';

/**
 * A JSON value as the driver has to be given it. The driver takes an object with a field `_bsontype` for one of its
 * own types and refuses it; such a field may stand in what clients keep with their files, so that object goes as a Map,
 * which is written the same and read back as a plain object. Everything else stays the very same.
 */
export function plainForDriver(value: unknown): unknown {
  return holdsMark(value) ? converted(value) : value;
}

function holdsMark(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsMark);
  return Object.hasOwn(value, mark) || Object.values(value).some(holdsMark);
}

function converted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(converted);
  const entries = Object.entries(value).map(([name, each]): [string, unknown] => [name, converted(each)]);
  return Object.hasOwn(value, mark) ? new Map(entries) : Object.fromEntries(entries);
}
