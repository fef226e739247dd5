import type {
  ApiKeyView,
  NewApiKeyView,
  NewInvitationView,
  PersonView,
  ProfileView,
  RecoveryCodesView,
  SessionItemView,
} from '../../../models/api.ts';
import { hotp, totpStep } from '../../../models/totp.ts';
import { owner, signIn } from '../../api/support/session.ts';
import type { Asker } from './asker.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The bytes of a secret in base32. */
export function secretBytes(secret: string): Buffer {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
}

/** People of an account, and the caller's own user: their successes and errors. */
export async function askAboutPeople({ program, succeed, refused }: Asker): Promise<void> {
  const body = { email: 'somebody@example.com', role: 'editor' };
  const { id } = await succeed<NewInvitationView>('invitePerson', { body });
  await succeed('listInvitations');
  await succeed('revokeInvitation', { ids: { invitationId: id } });
  await refused('invitePerson', 'email_address_taken', { body: { ...body, email: owner.email } });
  const { items } = await succeed<{ items: PersonView[] }>('listPeople');
  const person = items.find(({ role }) => role === 'reader');
  await succeed('changePerson', { ids: { userId: person?.userId ?? '' }, body: { role: 'reader' } });
  const { userId } = await succeed<ProfileView>('readProfile');
  await refused('changePerson', 'last_owner', { ids: { userId }, body: { role: 'admin' } });
  const { password } = owner;
  await refused('changePassword', 'invalid_credentials', { body: { password: 'no', newPassword: password } });
  await succeed('changePassword', { body: { password, newPassword: password } });
  await signIn(program);
  const sessions = await succeed<{ items: SessionItemView[] }>('listDashboardSessions');
  const other = sessions.items.find(({ isCurrent }) => !isCurrent);
  await succeed('revokeDashboardSession', { ids: { sessionId: other?.id ?? '' } });
  await succeed('revokeOtherDashboardSessions');
  await askAboutSecondFactor({ succeed, refused });
  await succeed('readOrganization');
  await succeed('changeOrganization', { body: { contactEmail: 'office@example.com', description: 'x' } });
  await askAboutKeys({ succeed, refused });
}

/** The two keys of the first start are those of these tests: they are left as they were. */
async function askAboutKeys({ succeed, refused }: Pick<Asker, 'succeed' | 'refused'>): Promise<void> {
  const { items } = await succeed<{ items: ApiKeyView[] }>('listApiKeys');
  const ids = { keyId: items[0]?.id ?? '' };
  const body = { label: 'third', scope: 'standard', expiresAt: '2100-01-01T00:00:00Z' };
  await refused('createApiKey', 'api_key_limit_reached', { body });
  await succeed('rotateApiKey', { ids, body: { overlapSeconds: 3600 } });
  await succeed('deactivateApiKey', { ids });
  await refused('rotateApiKey', 'api_key_inactive', { ids, body: {} });
  const made = await succeed<NewApiKeyView>('createApiKey', { body });
  await refused('reactivateApiKey', 'api_key_limit_reached', { ids });
  await succeed('deactivateApiKey', { ids: { keyId: made.id } });
  await succeed('reactivateApiKey', { ids });
}

async function askAboutSecondFactor({ succeed, refused }: Pick<Asker, 'succeed' | 'refused'>): Promise<void> {
  const { password } = owner;
  const both = { password, code: '000000' };
  await refused('confirmSecondFactor', 'second_factor_state', { body: { code: '000000' } });
  await refused('replaceRecoveryCodes', 'second_factor_state', { body: both });
  await refused('removeSecondFactor', 'second_factor_state', { body: both });
  await refused('beginSecondFactor', 'invalid_credentials', { body: { password: 'no' } });
  const { secret } = await succeed<{ secret: string }>('beginSecondFactor', { body: { password } });
  await refused('confirmSecondFactor', 'invalid_second_factor', { body: { code: 'no' } });
  const code = hotp(secretBytes(secret), totpStep(Date.now()));
  const { recoveryCodes } = await succeed<RecoveryCodesView>('confirmSecondFactor', { body: { code } });
  await refused('beginSecondFactor', 'second_factor_state', { body: { password } });
  for (const operation of ['replaceRecoveryCodes', 'removeSecondFactor']) {
    await refused(operation, 'invalid_credentials', { body: { ...both, password: 'no' } });
    await refused(operation, 'invalid_second_factor', { body: { ...both, code: 'no' } });
  }
  const again = await succeed<RecoveryCodesView>('replaceRecoveryCodes', {
    body: { password, code: recoveryCodes[0] ?? '' },
  });
  await succeed('removeSecondFactor', { body: { password, code: again.recoveryCodes[0] ?? '' } });
}
