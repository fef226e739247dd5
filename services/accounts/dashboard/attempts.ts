import { isDuplicate } from '../../../adapters/records/port.ts';
import { loginFailures, type LoginFailures } from '../../../models/dashboard.ts';
import { Refusal } from '../../../models/errors.ts';
import { systemScope } from '../../../models/scope.ts';
import { hashKey } from '../keys.ts';
import type { AccountsContext } from '../collections.ts';

/** How many failures are counted, and for how long. */
interface Limit {
  windowMs: number;
  maxFailures: number;
}

/** Failures to sign in with an address. */
const ofPasswords: Limit = { windowMs: 15 * 60_000, maxFailures: 10 };
/** Wrong codes of a second factor: of a million codes three are right at a time. */
const ofCodes: Limit = { windowMs: 3_600_000, maxFailures: 5 };
/** Attempts of a conditional write before the caller is asked to try again. */
const writeAttempts = 50;

/**
 * Counts an attempt to sign in as failed before its password is looked at, so that attempts at the same time count too.
 * @returns takes the attempt back: it succeeded
 * @throws Refusal `rate_limited` after ten failures of the address within 15 minutes
 */
export function beginAttempt(app: AccountsContext, emailKey: string): Promise<() => Promise<void>> {
  return begin(app, hashKey(emailKey), ofPasswords);
}

/**
 * Counts a code of a user's second factor as wrong before it is looked at.
 * @returns takes it back: it was right
 * @throws Refusal `rate_limited` after five wrong codes within an hour
 */
export function beginCode(app: AccountsContext, userId: string): Promise<() => Promise<void>> {
  return begin(app, `code:${userId}`, ofCodes);
}

async function begin(app: AccountsContext, _id: string, limit: Limit): Promise<() => Promise<void>> {
  const { runtime } = app;
  const { windowMs, maxFailures } = limit;
  const id = runtime.uuid();
  const now = runtime.now();
  await writeFailures(app, _id, limit, (failures) => {
    const counted = failures.filter(({ at }) => at > now - windowMs);
    const [oldest] = counted;
    if (oldest !== undefined && counted.length >= maxFailures)
      throw new Refusal('rate_limited', {
        detail: `That failed ${maxFailures} times within ${windowMs / 60_000} minutes.`,
        retryable: true,
        retryAfter: Math.max(1, Math.ceil((oldest.at + windowMs - now) / 1000)),
      });
    return [...counted, { id, at: now }];
  });
  return () => writeFailures(app, _id, limit, (failures) => failures.filter((failure) => failure.id !== id));
}

async function writeFailures(
  { records, runtime }: AccountsContext,
  _id: string,
  { windowMs }: Limit,
  decide: (failures: LoginFailures['failures']) => LoginFailures['failures'],
): Promise<void> {
  const collection = records.collection(loginFailures, systemScope);
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    const known = await collection.get(_id);
    const failures = decide(known?.failures ?? []);
    const until = (failures.at(-1)?.at ?? runtime.now()) + windowMs;
    if (known === null) {
      try {
        await collection.insert({ _id, failures, until, version: 1 });
        return;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
    } else if (
      (await collection.update(
        _id,
        { version: known.version },
        { set: { failures, until }, increment: { version: 1 } },
      )) !== null
    )
      return;
  }
  throw new Refusal('content_service_unavailable', {
    detail: 'Too many are signing in with this address; try again.',
    retryable: true,
    retryAfter: 1,
  });
}
