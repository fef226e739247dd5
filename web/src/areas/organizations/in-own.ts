import { session } from '../../api/session.ts';

/** The header for what is asked of the account's own organization, also while a sub-organization is looked at. */
export function inOwnOrganization(): { headers: { 'X-Organization-Id': string } } {
  return { headers: { 'X-Organization-Id': session.current()?.ownOrganizationId ?? '' } };
}
