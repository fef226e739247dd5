declare const scopeMark: unique symbol;

/**
 * The organization whose records code may access. Every query of organization data takes a scope, so a query without an
 * organization does not compile.
 */
export interface OrganizationScope {
  readonly [scopeMark]: 'organization';
  readonly kind: 'organization';
  readonly organizationId: string;
}

/**
 * Access to all organizations for work of the deployment, such as scheduling, sweeping and authentication. Never for a
 * client's request.
 */
export interface SystemScope {
  readonly [scopeMark]: 'system';
  readonly kind: 'system';
}

/** The scope of one organization or of the deployment. */
export type Scope = OrganizationScope | SystemScope;

/** The scope of one organization. Call it only where the organization was checked (the gateway) or read from a job. */
export function scopeOf(organizationId: string): OrganizationScope {
  if (organizationId === '') throw new Error('an organization scope needs an organization id');
  return { kind: 'organization', organizationId } as OrganizationScope;
}

/** The scope of the deployment's own work. */
export const systemScope = { kind: 'system' } as SystemScope;
