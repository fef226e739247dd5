import type { Change, Filter } from '../../../adapters/records/port.ts';
import type { Caller, NewSecondFactorView, RecoveryCodesView } from '../../../models/api.ts';
import { totpContext, type User } from '../../../models/dashboard.ts';
import { Refusal } from '../../../models/errors.ts';
import type { AuditAction } from '../../../models/organization.ts';
import { base32, matchingStep, totpAddress, totpSecretBytes } from '../../../models/totp.ts';
import { flushAudit, recordAudit, withAudit } from '../audit.ts';
import { collectionsOf, type AccountsContext, type SecretsContext } from '../collections.ts';
import { hashKey } from '../keys.ts';
import { beginCode } from './attempts.ts';
import { ownUser, provePassword } from './profile.ts';
import { ofSecondFactor, userFact } from './users.ts';

/** Recovery codes of a user. */
const codeCount = 10;
/** Random bytes of a recovery code: 16 characters in base32, too many to be found by its hash. */
const codeBytes = 10;
/** Of an authenticator app. */
const totpForm = /^\d{6}$/;

function secretOf({ sealer }: SecretsContext, userId: string, sealed: string): Buffer {
  return Buffer.from(sealer.open(sealed, totpContext(userId)), 'base64url');
}

function newCodes({ runtime }: AccountsContext): string[] {
  return Array.from({ length: codeCount }, () => {
    const text = base32(Buffer.from(runtime.secret(codeBytes), 'base64url')).toLowerCase();
    return text.replace(/.{4}(?=.)/g, '$&-');
  });
}

/** The stored form of a recovery code, however it was typed. */
function codeHash(code: string): string {
  return hashKey(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
}

/** Changes a user together with its audit fact. @throws Refusal `second_factor_state` if the filter no longer holds */
async function change(
  app: AccountsContext,
  user: User,
  filter: Filter,
  { made, action }: { made: Change; action: AuditAction },
): Promise<void> {
  const collections = collectionsOf(app);
  const facts = [userFact(app, user, action)];
  const audited = withAudit({ ...made, set: { ...made.set, updatedAt: app.runtime.now() } }, facts, app.runtime.uuid);
  const changed = await collections.users.update(user._id, filter, audited);
  if (changed === null) throw new Refusal('second_factor_state');
  await flushAudit(app, collections, collections.users, changed);
}

/**
 * Uses a code of a user's second factor: that of a time step, or a recovery code. Each is accepted once, also by several
 * processes at the same time.
 * @throws Refusal `invalid_second_factor`, `rate_limited`
 */
export async function takeCode(app: SecretsContext, user: User, code: string): Promise<void> {
  const right = await beginCode(app, user._id);
  const isTaken = totpForm.test(code) ? await takeStep(app, user, code) : await takeRecoveryCode(app, user, code);
  if (!isTaken) {
    await recordAudit(collectionsOf(app), userFact(app, user, 'second_factor.refused'), app.runtime.uuid());
    throw new Refusal('invalid_second_factor');
  }
  await right();
}

async function takeStep(app: SecretsContext, { _id, sealedTotp, totpStep }: User, code: string): Promise<boolean> {
  if (sealedTotp === undefined) return false;
  const step = matchingStep(secretOf(app, _id, sealedTotp), code, app.runtime.now(), totpStep);
  if (step === null) return false;
  const filter = { sealedTotp, totpStep: totpStep ?? null };
  return (await collectionsOf(app).users.update(_id, filter, { set: { totpStep: step } })) !== null;
}

async function takeRecoveryCode(app: SecretsContext, user: User, code: string): Promise<boolean> {
  const id = codeHash(code);
  const { recoveryCodes = [] } = user;
  if (!recoveryCodes.some((each) => each.id === id)) return false;
  try {
    await change(
      app,
      user,
      { recoveryMark: markOf(recoveryCodes) },
      {
        made: {
          set: { recoveryMark: markOf(recoveryCodes.filter((each) => each.id !== id)) },
          pullById: { recoveryCodes: [id] },
        },
        action: 'recovery_code.used',
      },
    );
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.type === 'second_factor_state') return false;
    throw error;
  }
}

/** Identifies a set of recovery codes, for conditional writes. */
function markOf(codes: readonly { id: string }[]): string {
  return hashKey(codes.map(({ id }) => id).join());
}

/**
 * Begins a second factor: its secret is answered once, and holds after it was confirmed by a code.
 * @throws Refusal `invalid_credentials`, `rate_limited`, `second_factor_state` if one is on
 */
export async function beginSecondFactor(
  app: SecretsContext,
  caller: Caller,
  password: string,
): Promise<NewSecondFactorView> {
  const user = await provePassword(app, caller, password);
  const secret = app.runtime.secret(totpSecretBytes);
  const sealedNewTotp = app.sealer.seal(secret, totpContext(user._id));
  const begun = await collectionsOf(app).users.update(user._id, { sealedTotp: null }, { set: { sealedNewTotp } });
  if (begun === null) throw new Refusal('second_factor_state');
  const bytes = Buffer.from(secret, 'base64url');
  return { secret: base32(bytes), address: totpAddress(bytes, user.email) };
}

/**
 * Turns the begun second factor on. The recovery codes are answered once.
 * @throws Refusal `invalid_second_factor`, `rate_limited`, `second_factor_state` if none was begun
 */
export async function confirmSecondFactor(
  app: SecretsContext,
  caller: Caller,
  code: string,
): Promise<RecoveryCodesView> {
  const user = await ownUser(app, caller);
  const { sealedNewTotp } = user;
  if (sealedNewTotp === undefined) throw new Refusal('second_factor_state');
  const right = await beginCode(app, user._id);
  const step = matchingStep(secretOf(app, user._id, sealedNewTotp), code, app.runtime.now(), undefined);
  if (step === null) throw new Refusal('invalid_second_factor');
  await right();
  const codes = newCodes(app);
  const hashes = codes.map((each) => ({ id: codeHash(each) }));
  const set = { sealedTotp: sealedNewTotp, totpStep: step, recoveryCodes: hashes, recoveryMark: markOf(hashes) };
  const made = { set, unset: ['sealedNewTotp'] };
  await change(app, user, { sealedNewTotp, sealedTotp: null }, { made, action: 'second_factor.enabled' });
  return { recoveryCodes: codes };
}

/** The caller, after both factors were proven. @throws Refusal */
async function proveBoth(
  app: SecretsContext,
  caller: Caller,
  { password, code }: { password: string; code: string },
): Promise<User> {
  const user = await provePassword(app, caller, password);
  if (user.sealedTotp === undefined) throw new Refusal('second_factor_state');
  await takeCode(app, user, code);
  return user;
}

/**
 * Makes new recovery codes, which are answered once; those of before are no longer accepted.
 * @throws Refusal `invalid_credentials`, `invalid_second_factor`, `rate_limited`, `second_factor_state` if none is on
 */
export async function replaceRecoveryCodes(
  app: SecretsContext,
  caller: Caller,
  proof: { password: string; code: string },
): Promise<RecoveryCodesView> {
  const user = await proveBoth(app, caller, proof);
  const codes = newCodes(app);
  const hashes = codes.map((each) => ({ id: codeHash(each) }));
  const made = { set: { recoveryCodes: hashes, recoveryMark: markOf(hashes) } };
  await change(app, user, { sealedTotp: { $exists: true } }, { made, action: 'recovery_codes.replaced' });
  return { recoveryCodes: codes };
}

/**
 * Turns the second factor off.
 * @throws Refusal `invalid_credentials`, `invalid_second_factor`, `rate_limited`, `second_factor_state` if none is on
 */
export async function removeSecondFactor(
  app: SecretsContext,
  caller: Caller,
  proof: { password: string; code: string },
): Promise<null> {
  const user = await proveBoth(app, caller, proof);
  const made = { unset: ofSecondFactor };
  await change(app, user, { sealedTotp: { $exists: true } }, { made, action: 'second_factor.disabled' });
  return null;
}
