declare const scopeMark: unique symbol;

/**
 * Which organization's records a piece of code may touch. Every query of organization data takes one, so a
 * query without an organization cannot be written.
 */
export interface OrganizationScope {
  readonly [scopeMark]: 'organization';
  readonly kind: 'organization';
  readonly organizationId: string;
}

/** The deployment's own work over all organizations: scheduling, sweeping, signing in. Never a client's request. */
export interface SystemScope {
  readonly [scopeMark]: 'system';
  readonly kind: 'system';
}

/** Either scope: of one organization, or of the deployment. */
export type Scope = OrganizationScope | SystemScope;

/** The scope of one organization. Call it where the organization was checked (the gateway), or read from a job. */
export function scopeOf(organizationId: string): OrganizationScope {
  if (organizationId === '') throw new Error('an organization scope needs an organization id');
  return { kind: 'organization', organizationId } as OrganizationScope;
}

/** The scope of work that belongs to the deployment and not to a client. */
export const systemScope = { kind: 'system' } as SystemScope;
