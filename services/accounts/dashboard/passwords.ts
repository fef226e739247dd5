import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refusal } from '../../../models/errors.ts';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt);

/** Cost of scrypt (RFC 7914): 32 MiB and about a tenth of a second. */
const cost = { N: 2 ** 15, r: 8, p: 1 };
const hashBytes = 32;
const form = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([A-Za-z0-9_-]+)\$([A-Za-z0-9_-]{43})$/;

/** Derivations that may wait in a process: more would occupy its threads for seconds. */
const maxWaiting = 32;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** Derives one key at a time: memory and threads stay bounded. @throws Refusal `content_service_unavailable` */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= maxWaiting)
    throw new Refusal('content_service_unavailable', {
      detail: 'Too many are signing in; try again.',
      retryable: true,
      retryAfter: 2,
    });
  waiting += 1;
  const turn = last.then(work, work);
  last = turn.catch(() => undefined);
  try {
    return await turn;
  } finally {
    waiting -= 1;
  }
}

function derived(password: string, salt: Buffer, { N, r, p }: typeof cost): Promise<Buffer> {
  // One password is typed in several Unicode forms.
  return inTurn(() => derive(password.normalize('NFKC'), salt, hashBytes, { N, r, p, maxmem: 256 * N * r }));
}

/** The stored form of a password: `scrypt$N$r$p$<salt>$<hash>`, both in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derived(password, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/**
 * Whether a password is the one of a stored form. Without a stored form it takes as long and answers false, so that
 * nobody learns which addresses have users.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = form.exec(stored ?? '') ?? [];
  if (stored === null || hash === '') {
    await derived(password, Buffer.alloc(16), cost);
    return false;
  }
  const given = await derived(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) });
  return timingSafeEqual(given, Buffer.from(hash, 'base64url'));
}
