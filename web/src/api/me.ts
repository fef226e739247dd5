import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { answered, api } from './client.ts';
import type { components } from './schema.d.ts';
import { session } from './session.ts';

/** The session of the cookie, with what its person may do. */
export type Me = components['schemas']['CurrentDashboardSession'];
/** What a person may do; each role includes those before it. */
export type Role = Me['role'];

/** All roles, least first. */
export const roles: readonly Role[] = ['reader', 'editor', 'admin', 'owner'];

/** Whether a role includes another. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** Who is signed in; undefined until it is known. The program checks every request by itself. */
export function useMe(): Me | undefined {
  const current = useSyncExternalStore(session.subscribe, session.current);
  return useQuery({
    queryKey: ['me', current?.userId],
    enabled: current !== null,
    queryFn: () => answered(api.GET('/api/dashboard/session')),
    staleTime: 60_000,
  }).data;
}
