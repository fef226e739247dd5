import { Client, type Answer, type ErrorBody, type Sent } from './client.ts';

/** The first user of the dashboard, for programs of tests. */
export const owner = { email: 'owner@example.com', password: 'a password of tests' };

/** The environment of a program whose dashboard `signIn` can enter. */
export const ownerEnvironment = { PLY_BOOTSTRAP_EMAIL: owner.email, PLY_BOOTSTRAP_PASSWORD: owner.password };

/** Sends requests to a running program with a session of the dashboard; its cookie stands in place of the key. */
export class SessionClient extends Client {
  override as(organizationId: string): SessionClient {
    return new SessionClient(this.url, organizationId, this.key);
  }

  override ask<T = ErrorBody>(method: string, path: string, { headers = {}, ...sent }: Sent = {}): Promise<Answer<T>> {
    const session = { Authorization: '', Cookie: this.key, Origin: this.url };
    return super.ask<T>(method, path, { ...sent, headers: { ...session, ...headers } });
  }
}

/** Signs in to the dashboard of a program that was started with `ownerEnvironment`. */
export async function signIn({ url, organizationId }: { url: string; organizationId: string }): Promise<SessionClient> {
  const response = await fetch(`${url}/api/dashboard/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(owner),
  });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (response.status !== 200 || cookie === undefined) throw new Error(`signing in was answered ${response.status}`);
  return new SessionClient(url, organizationId, cookie);
}
