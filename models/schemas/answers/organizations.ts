import type { AuditFact, Organization } from '../../organization.ts';
import { answer, boolean, described, id, listOf, literals, metadata, orNull, text, time } from './answer.ts';

/** A sub-organization (snake case by contract). */
export const subOrganizationAnswer = answer('SubOrganization', {
  id,
  parent_organization_id: id,
  name: text,
  contact_email: orNull(text),
  description: orNull(text),
  is_active: boolean,
  metadata: orNull(described<NonNullable<Organization['metadata']>>(metadata.json)),
  created_at: time,
  updated_at: time,
});

/** All sub-organizations, without an envelope. */
export const subOrganizationsAnswer = listOf(subOrganizationAnswer);

/** Answer of a deactivation. */
export const deactivated = answer('Deactivated', { success: described<true>({ const: true }), message: text });

/** A row of the account audit. */
export const auditRow = answer('AuditRow', {
  id: text,
  at: time,
  actor: answer('AuditActor', {
    kind: literals('user', 'api_key', 'plycdn'),
    id: orNull(text),
    label: orNull(text),
    prefix: orNull(text),
  }),
  action: text,
  resourceKind: text,
  resourceId: text,
  detail: described<AuditFact['detail']>({ type: 'object' }),
});

/** A page of the account audit. */
export const auditAnswer = answer('AuditRows', { items: listOf(auditRow), next: orNull(text) });
