import { invalid } from '../errors.ts';
import { within } from './faults.ts';
import type { Fields, Shape } from './schema.ts';

/** Converts the texts of a query parameter to the JSON value that its schema checks. */
function valueOf(type: unknown, texts: readonly (string | null)[]): unknown {
  if (texts.includes(null)) throw invalid([], 'has broken escapes');
  if (type === 'array') return texts;
  const [text] = texts;
  if (texts.length > 1) throw invalid([], 'must be sent once');
  if (type === 'integer') {
    if (!/^-?\d{1,300}$/.test(text ?? '')) throw invalid([], 'must be a whole number');
    return Number(text);
  }
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw invalid([], 'must be true or false');
    return text === 'true';
  }
  return text;
}

/**
 * Checks query parameters in the documented order. One value of a list parameter is a list of one; unknown
 * parameters are ignored.
 * @throws Refusal whose path begins with the parameter's name
 */
export function checkQuery<F extends Fields>(
  fields: F,
  parameters: ReadonlyMap<string, readonly (string | null)[]>,
): Shape<F> {
  const result: { [name: string]: unknown } = {};
  for (const [name, field] of Object.entries(fields)) {
    const texts = parameters.get(name);
    try {
      if (texts !== undefined) result[name] = field.schema.check(valueOf(field.schema.json['type'], texts));
      else if (field.presence === 'required') throw invalid([], 'is missing');
      else if (field.presence === 'withDefault') result[name] = field.fallback;
    } catch (error) {
      throw within(error, name);
    }
  }
  return result as Shape<F>;
}
