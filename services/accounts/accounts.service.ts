import type { ServiceSchema } from 'moleculer';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { recordsMixin } from '../../mixins/records/records.ts';
import { accounts } from '../../models/organization.ts';
import { keyAccess, organizationAccess } from './access.ts';
import { readPlan } from './account.ts';
import { auditFlusher, readAudit, recordQuotaAlert, recordSearchAs } from './audit.ts';
import { auditRetention } from './audit-retention.ts';
import { createApiKey, deactivateApiKey, listApiKeys, reactivateApiKey, rotateApiKey } from './dashboard/api-keys.ts';
import {
  acceptInvitation,
  invitePerson,
  listInvitations,
  readInvitation,
  revokeInvitation,
} from './dashboard/invitations.ts';
import { changeOrganization, readOrganization } from './dashboard/organization.ts';
import { changePerson, listPeople } from './dashboard/people.ts';
import { changePassword, listSessions, readProfile, revokeOtherSessions, revokeSession } from './dashboard/profile.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  replaceRecoveryCodes,
} from './dashboard/second-factor.ts';
import {
  endSession,
  readSession,
  sessionAccess,
  sessionSweeper,
  startFirstSession,
  startSession,
} from './dashboard/sessions.ts';
import { monthIntake } from './months.ts';
import { changeSettings, dropSettings, readSettings, replaceSettings } from './settings.ts';
import {
  changeSubOrganization,
  checkOwner,
  createSubOrganization,
  deactivateSubOrganization,
  listSubOrganizations,
  readSubOrganization,
} from './sub-organizations.ts';
import { accountCollections, collectionsOf, type AccountsContext } from './collections.ts';

/** The actor for accounts, their organizations, keys, settings and audit. */
export function accountsService(
  app: AccountsContext & Pick<AppContext, 'lifecycle' | 'sealer' | 'metrics'>,
): ServiceSchema {
  app.lifecycle.add(auditFlusher(app));
  app.lifecycle.add(auditRetention(app));
  app.lifecycle.add(sessionSweeper(app));
  app.lifecycle.add(monthIntake(app));
  return {
    name: 'accounts',
    mixins: [recordsMixin(app.records, accounts, accountCollections)],
    actions: actionsOf('accounts', {
      keyAccess: ({ keyHash }) => keyAccess(app, keyHash),
      startSession: (given) => startSession(app, given),
      readSession: ({ tokenHash }) => readSession(app, tokenHash),
      readInvitation: ({ token }) => readInvitation(app, token),
      acceptInvitation: async ({ token, password, ...client }) =>
        startFirstSession(app, await acceptInvitation(app, token, password), client),
      readProfile: ({ caller }) => readProfile(app, caller),
      changePassword: ({ caller, change }) => changePassword(app, caller, change),
      listSessions: ({ caller }) => listSessions(app, caller),
      revokeSession: ({ caller, sessionId }) => revokeSession(app, caller, sessionId),
      revokeOtherSessions: ({ caller }) => revokeOtherSessions(app, caller),
      beginSecondFactor: ({ caller, proof }) => beginSecondFactor(app, caller, proof.password),
      confirmSecondFactor: ({ caller, proof }) => confirmSecondFactor(app, caller, proof.code),
      replaceRecoveryCodes: ({ caller, proof }) => replaceRecoveryCodes(app, caller, proof),
      removeSecondFactor: ({ caller, proof }) => removeSecondFactor(app, caller, proof),
      listPeople: ({ caller }) => listPeople(app, caller),
      changePerson: ({ caller, userId, change }) => changePerson(app, caller, userId, change),
      listInvitations: ({ caller }) => listInvitations(app, caller),
      invitePerson: ({ caller, invitation }) => invitePerson(app, caller, invitation),
      listApiKeys: ({ caller }) => listApiKeys(app, caller),
      createApiKey: ({ caller, wanted }) => createApiKey(app, caller, wanted),
      rotateApiKey: ({ caller, keyId, rotation }) => rotateApiKey(app, caller, keyId, rotation),
      deactivateApiKey: ({ caller, keyId }) => deactivateApiKey(app, caller, keyId),
      reactivateApiKey: ({ caller, keyId }) => reactivateApiKey(app, caller, keyId),
      readOrganization: ({ caller }) => readOrganization(app, caller),
      changeOrganization: ({ caller, change }) => changeOrganization(app, caller, change),
      revokeInvitation: ({ caller, invitationId }) => revokeInvitation(app, caller, invitationId),
      endSession: ({ tokenHash }) => endSession(app, tokenHash),
      sessionAccess: ({ tokenHash }) => sessionAccess(app, tokenHash),
      organizationAccess: ({ accountId, organizationId }) => organizationAccess(app, accountId, organizationId),
      createSubOrganization: ({ caller, organization }) => createSubOrganization(app, caller, organization),
      listSubOrganizations: ({ caller }) => listSubOrganizations(app, caller),
      readSubOrganization: ({ caller, id }) => readSubOrganization(app, caller, id),
      changeSubOrganization: ({ caller, id, change }) => changeSubOrganization(app, caller, id, change),
      deactivateSubOrganization: ({ caller, id }) => deactivateSubOrganization(app, caller, id),
      recordSearchAs: (search) => recordSearchAs(app, search),
      recordQuotaAlert: (alert) => recordQuotaAlert(app, alert),
      readPlan: ({ caller }) => readPlan(app, caller),
      readSettings: ({ caller }) => readSettings(app, caller),
      replaceSettings: ({ caller, settings }) => replaceSettings(app, caller, settings),
      changeSettings: ({ caller, change }) => changeSettings(app, caller, change),
      dropSettings: ({ caller }) => dropSettings(app, caller),
      readAudit: async ({ caller, limit, before }) => {
        const collections = collectionsOf(app);
        await checkOwner(collections, caller);
        return readAudit(collections, caller.accountId, limit, before);
      },
    }),
  };
}
