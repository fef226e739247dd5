import { Fault } from '../protocol/faults.ts';
import { isObject } from '../../../models/schemas/schema.ts';
import { instant } from '../../../models/schemas/values.ts';

/** Fields that a policy needs no condition for. */
const free: ReadonlySet<string> = new Set(['awsaccesskeyid', 'file', 'policy', 'signature', 'x-amz-signature']);

/** Checksums of the file only say more of what is allowed. */
const checksumPrefix = 'x-amz-checksum-';

/** What a policy allows of the size of the file. */
export interface SizeRange {
  min: number;
  max: number;
}

function invalidPolicy(message: string): Fault {
  return new Fault('InvalidPolicyDocument', { message: `Invalid Policy: ${message}` });
}

function failed(condition: string): Fault {
  return new Fault('AccessDenied', { message: `Invalid according to Policy: Policy Condition failed: ${condition}` });
}

/** A condition: an operator, the name of a field, and what it is compared with. */
type Condition = [operator: 'eq' | 'starts-with', name: string, value: string] | SizeRange;

function nameOf(field: unknown): string {
  if (typeof field !== 'string' || !field.startsWith('$'))
    throw invalidPolicy('A condition needs the name of a field.');
  return field.slice(1).toLowerCase();
}

function sizeRange(min: unknown, max: unknown): SizeRange {
  const [from, to] = [Number(min), Number(max)];
  if (min === undefined || max === undefined || !Number.isInteger(from) || !Number.isInteger(to) || from < 0 || to < 0)
    throw invalidPolicy('content-length-range needs two numbers.');
  return { min: from, max: to };
}

function readCondition(given: unknown): Condition[] {
  if (isObject(given)) {
    const entries = Object.entries(given);
    if (entries.length === 0) throw invalidPolicy('A condition is empty.');
    return entries.map(([name, value]) => {
      if (typeof value !== 'string') throw invalidPolicy('A condition needs a text.');
      return ['eq', name.toLowerCase(), value];
    });
  }
  if (!Array.isArray(given)) throw invalidPolicy('Invalid condition test: must be a List or Object.');
  const entries: readonly unknown[] = given;
  const [operator, first, second] = entries;
  const kind = typeof operator === 'string' ? operator.toLowerCase() : '';
  if (kind === 'content-length-range') return [sizeRange(first, second)];
  if ((kind !== 'eq' && kind !== 'starts-with') || given.length !== 3 || typeof second !== 'string')
    throw invalidPolicy('A condition has an unknown form.');
  return [[kind, nameOf(first), second]];
}

/** Parses a policy. @throws Fault `InvalidPolicyDocument` */
function readPolicy(text: string): { expiration: string; conditions: unknown[] } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
  } catch {
    throw invalidPolicy('Invalid JSON.');
  }
  if (!isObject(parsed)) throw invalidPolicy('It is no object.');
  const { expiration, conditions } = parsed;
  if (typeof expiration !== 'string') throw invalidPolicy('Policy missing expiration.');
  if (conditions === undefined) throw invalidPolicy('Policy missing conditions.');
  if (!Array.isArray(conditions)) throw invalidPolicy("Invalid 'conditions' value: must be a List.");
  return { expiration, conditions };
}

/**
 * Checks the fields of a form, and the bucket it is sent to, against its policy: each needs a condition that it fulfils.
 * @returns what the size of the file must be
 * @throws Fault `InvalidPolicyDocument`, `AccessDenied`
 */
export function checkPolicy(
  policy: string,
  fields: ReadonlyMap<string, string>,
  { bucket, now }: { bucket: string; now: number },
): SizeRange {
  const { expiration, conditions } = readPolicy(policy);
  const until = instant(expiration);
  if (until === null) throw invalidPolicy(`Invalid 'expiration' value: '${expiration}'`);
  if (until <= now) throw new Fault('AccessDenied', { message: 'Invalid according to Policy: Policy expired.' });
  if (conditions.length === 0) throw invalidPolicy('conditions is empty.');
  const size: SizeRange = { min: 0, max: Infinity };
  const covered = new Set<string>();
  for (const condition of conditions.flatMap(readCondition)) {
    if ('min' in condition) {
      size.min = Math.max(size.min, condition.min);
      size.max = Math.min(size.max, condition.max);
      continue;
    }
    const [operator, name, value] = condition;
    const sent = name === 'bucket' ? bucket : (fields.get(name) ?? '');
    const holds = operator === 'eq' ? sent === value : sent.startsWith(value);
    if (!holds) throw failed(JSON.stringify([operator, `$${name}`, value]));
    covered.add(name);
  }
  for (const name of ['bucket', ...fields.keys()])
    if (!covered.has(name) && !free.has(name) && !name.startsWith('x-ignore-') && !name.startsWith(checksumPrefix))
      throw new Fault('AccessDenied', { message: `Invalid according to Policy: Extra input fields: ${name}` });
  return size;
}
