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

function invalidJson(): Fault {
  return invalidPolicy('Invalid JSON.');
}

/** A number of bytes, which may be written as a text. @throws Fault `InvalidPolicyDocument` */
function bytesOf(given: unknown): number {
  const bytes = typeof given === 'string' && given.trim() === '' ? NaN : Number(given);
  if ((typeof given !== 'number' && typeof given !== 'string') || !Number.isInteger(bytes) || bytes < 0)
    throw invalidJson();
  return bytes;
}

function readCondition(given: unknown): Condition {
  if (isObject(given)) {
    const [entry, ...more] = Object.entries(given);
    if (entry === undefined || more.length > 0)
      throw invalidPolicy('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.');
    const [name, value] = entry;
    if (typeof value !== 'string') throw invalidPolicy('Invalid Simple-Condition: value must be a string.');
    return ['eq', name.toLowerCase(), value];
  }
  if (!Array.isArray(given)) throw invalidPolicy('Invalid condition test: must be a List or Object.');
  const entries: readonly unknown[] = given;
  const [operator, first, second] = entries;
  if (typeof operator !== 'string') throw invalidPolicy('Invalid Condition: missing operation identifier.');
  const kind = operator.toLowerCase();
  if (kind !== 'eq' && kind !== 'starts-with' && kind !== 'content-length-range')
    throw invalidPolicy(`Invalid Condition: unknown operation '${operator}'.`);
  if (entries.length !== 3) throw invalidPolicy(`Invalid ${operator}: wrong number of arguments.`);
  if (kind === 'content-length-range') return { min: bytesOf(first), max: bytesOf(second) };
  if (typeof first !== 'string' || typeof second !== 'string') throw invalidJson();
  // A name without its sign is that of no field, so that nothing can fulfil the condition.
  if (!first.startsWith('$')) throw failed(JSON.stringify(entries));
  return [kind, first.slice(1).toLowerCase(), second];
}

/** Parses a policy. @throws Fault `InvalidPolicyDocument` */
function readPolicy(text: string): { expiration: string; conditions: unknown[] } {
  const encoded = text.replace(/\s/g, '');
  if (encoded === '') throw invalidPolicy("Expecting '{' but found End-of-Input");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 !== 0)
    throw invalidPolicy('invalid Base64 encoding.');
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
  } catch {
    throw invalidJson();
  }
  if (!isObject(parsed)) throw invalidJson();
  const { expiration, conditions, ...others } = parsed;
  if (expiration === undefined) throw invalidPolicy('Policy missing expiration.');
  if (conditions === undefined) throw invalidPolicy('Policy missing conditions.');
  if (!Array.isArray(conditions)) throw invalidPolicy("Invalid 'conditions' value: must be a List.");
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalidPolicy(`Unexpected: ${JSON.stringify(other)}`);
  if (typeof expiration !== 'string') throw invalidJson();
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
  for (const condition of conditions.map(readCondition)) {
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
