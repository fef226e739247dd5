import { invalid } from './errors.ts';
import { schemaOf, type Schema } from './schemas/schema.ts';

/**
 * A number of a JSON file in whole parts of a power of ten: 0.002 with 9 decimals is 2,000,000. Null if it has more
 * decimals, or more parts than an integer holds. It reads the digits of the number, so nothing is rounded.
 */
export function scaledDecimal(value: number, decimals: number): number | null {
  const parts = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (parts === null) return null;
  const [, whole = '', fraction = '', exponent = '0'] = parts;
  const zeros = decimals + Number(exponent) - fraction.length;
  const digits = `${whole}${fraction}`;
  const kept = zeros < 0 ? digits.slice(0, zeros) : `${digits}${'0'.repeat(zeros)}`;
  if (zeros < 0 && /[1-9]/.test(digits.slice(zeros))) return null;
  const scaled = Number(kept === '' ? '0' : kept);
  return Number.isSafeInteger(scaled) ? scaled : null;
}

/** A number from 0 to `max` with at most so many decimals. Its value is in whole parts: see `scaledDecimal`. */
export function exactDecimal(decimals: number, max: number): Schema<number> {
  const fault = `must be a number from 0 to ${max} with at most ${decimals} decimals`;
  return schemaOf(
    { type: 'number', minimum: 0, maximum: max },
    {
      type: 'number',
      min: 0,
      max,
      custom: [
        (given: number) => {
          const scaled = scaledDecimal(given + 0, decimals);
          if (scaled === null) throw invalid([], fault);
          return scaled;
        },
      ],
    },
    { type: 'number', integer: true, min: 0 },
  );
}

/**
 * Parses JSON, and refuses numbers with more digits than a JavaScript number holds: they would be rounded silently.
 * @throws SyntaxError; Error that names the number
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (name, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value === 'number' && source !== undefined && canonical(source) !== canonical(String(value)))
      throw new Error(`${name}: ${source} has more digits than a number can hold`);
    return value;
  });
}

/** The significant digits of a number's text, and the power of ten that they count. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
