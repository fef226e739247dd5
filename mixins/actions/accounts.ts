import type { AuditView, SubOrganizationView } from '../../models/api.ts';
import type { KeyScope } from '../../models/organization.ts';
import type { Role } from '../../models/people.ts';
import type { SettingsView } from '../../models/settings.ts';
import type { planAnswer } from '../../models/schemas/answers/plan.ts';
import { anyText, anyPrincipals, auditActor, caller } from '../../models/schemas/internal.ts';
import { auditQuery, newSubOrganization, subOrganizationChange } from '../../models/schemas/organizations.ts';
import { settingsChange } from '../../models/schemas/settings.ts';
import { required, type Infer } from '../../models/schemas/schema.ts';
import { decimal, integer, uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';
import { peopleActions } from './people.ts';

/** What a key is allowed, as the accounts service answers it. Gateways keep it for a second at most. */
export interface KeyAccess {
  accountId: string;
  ownOrganizationId: string;
  keyId: string;
  prefix: string;
  label: string;
  scope: KeyScope;
  /** Requests a minute by rate class. */
  limits: {
    requests: number;
    search: number;
    registrations: number;
    /** Absent in the answer of an earlier version. */
    storage?: number;
  };
  /** Plan features; null if no plan is applied and everything is available. */
  features: string[] | null;
  /** The user of a session of the dashboard, what they may do, and the session; absent for a key. */
  userId?: string;
  role?: Role;
  sessionId?: string;
}

/** How an organization stands to an account. */
export type OrganizationAccess = 'allowed' | 'forbidden';

/** Actions of the accounts actor: accounts, organizations, keys, settings and the audit. */
export const accountsActions = {
  keyAccess: action({ params: { keyHash: required(anyText) }, result: type<KeyAccess | null>(), repeatable: true }),
  sessionAccess: action({
    params: { tokenHash: required(anyText) },
    result: type<KeyAccess | null>(),
    repeatable: true,
  }),
  organizationAccess: action({
    params: { accountId: required(anyText), organizationId: required(anyText) },
    result: type<OrganizationAccess>(),
    repeatable: true,
  }),
  createSubOrganization: action({
    params: { caller: required(caller), organization: required(newSubOrganization) },
    result: type<SubOrganizationView>(),
    repeatable: false,
  }),
  listSubOrganizations: action({
    params: { caller: required(caller) },
    result: type<SubOrganizationView[]>(),
    repeatable: true,
  }),
  readSubOrganization: action({
    params: { caller: required(caller), id: required(uuid) },
    result: type<SubOrganizationView>(),
    repeatable: true,
  }),
  changeSubOrganization: action({
    params: { caller: required(caller), id: required(uuid), change: required(subOrganizationChange) },
    result: type<SubOrganizationView>(),
    repeatable: false,
  }),
  deactivateSubOrganization: action({
    params: { caller: required(caller), id: required(uuid) },
    result: type<{ success: true; message: string }>(),
    repeatable: false,
  }),
  readAudit: action({
    params: { caller: required(caller), ...auditQuery },
    result: type<{ items: AuditView[]; next: string | null }>(),
    repeatable: true,
  }),
  recordSearchAs: action({
    params: {
      searchId: required(anyText),
      organizationId: required(anyText),
      actor: required(auditActor),
      principals: required(anyPrincipals),
    },
    result: type<{ accountId: string }>(),
    repeatable: true,
  }),
  recordQuotaAlert: action({
    params: {
      accountId: required(anyText),
      month: required(anyText),
      metric: required(anyText),
      threshold: required(integer(0)),
      percent: required(decimal({ min: 0 })),
    },
    result: type<null>(),
    repeatable: true,
  }),
  readPlan: action({
    params: { caller: required(caller) },
    result: type<Infer<typeof planAnswer>>(),
    repeatable: true,
  }),
  readSettings: action({ params: { caller: required(caller) }, result: type<SettingsView>(), repeatable: true }),
  replaceSettings: action({
    params: { caller: required(caller), settings: required(settingsChange) },
    result: type<SettingsView>(),
    repeatable: false,
  }),
  changeSettings: action({
    params: { caller: required(caller), change: required(settingsChange) },
    result: type<SettingsView>(),
    repeatable: false,
  }),
  dropSettings: action({ params: { caller: required(caller) }, result: type<SettingsView>(), repeatable: false }),
  ...peopleActions,
};
