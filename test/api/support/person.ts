import { randomUUID } from 'node:crypto';
import type { NewInvitationView, SessionView } from '../../../models/api.ts';
import type { Role } from '../../../models/people.ts';
import { SessionClient } from './session.ts';

/** The password of people that tests invite. */
export const personPassword = 'correct horse battery';

/** A person whom tests have invited, signed in. */
export interface TestPerson {
  client: SessionClient;
  email: string;
  userId: string;
}

/** Sends a body without a key, as the page does before there is a session. */
export async function post(
  url: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: { [field: string]: unknown } }> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const parsed: { [field: string]: unknown } = JSON.parse(await response.text());
  return { status: response.status, headers: response.headers, body: parsed };
}

/** The cookie that an answer sets. */
export function cookieOf({ headers }: { headers: Headers }): string {
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Invites a person and accepts for them. */
export async function join(
  owner: SessionClient,
  role: Role,
  email = `${randomUUID()}@example.com`,
): Promise<TestPerson> {
  const { token } = await owner.get<NewInvitationView>(201, 'POST', '/api/dashboard/invitations', {
    body: { email, role },
  });
  const accepted = await post(owner.url, '/api/dashboard/invitation/acceptance', { token, password: personPassword });
  if (accepted.status !== 201) throw new Error(`accepting was answered ${JSON.stringify(accepted.body)}`);
  const { userId }: Partial<SessionView> = accepted.body;
  const client = new SessionClient(owner.url, owner.organizationId, cookieOf(accepted));
  return { client, email, userId: userId ?? '' };
}
