/** Who is signed in. The cookie itself cannot be read by scripts. */
export interface Session {
  userId: string;
  email: string;
  /** The organization that requests are for: the account's own, or one of its sub-organizations. */
  organizationId: string;
  /** The account's own organization. */
  ownOrganizationId: string;
  /** RFC 3339. */
  expiresAt: string;
}

const key = 'ply.session';

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false;
  return ['userId', 'email', 'organizationId', 'ownOrganizationId', 'expiresAt'].every(
    (name) => typeof Object.entries(value).find(([found]) => found === name)?.[1] === 'string',
  );
}

function stored(): Session | null {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isSession(found) && Date.parse(found.expiresAt) > Date.now() ? found : null;
  } catch {
    return null;
  }
}

let current = stored();
const listeners = new Set<() => void>();

function change(next: Session | null): void {
  current = next;
  if (next === null) localStorage.removeItem(key);
  else localStorage.setItem(key, JSON.stringify(next));
  for (const listener of listeners) listener();
}

// Signing out in one tab does so in all of them.
if (typeof window !== 'undefined')
  window.addEventListener('storage', (event) => {
    if (event.key !== key) return;
    current = stored();
    for (const listener of listeners) listener();
  });

/** The session of this browser, as a store that React can subscribe to. */
export const session = {
  current: (): Session | null => current,
  begin: (next: Session): void => change(next),
  /** Requests are for this organization from now on. */
  choose: (organizationId: string): void => {
    if (current !== null) change({ ...current, organizationId });
  },
  end: (): void => change(null),
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
