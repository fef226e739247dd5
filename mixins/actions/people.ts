import type * as api from '../../models/api.ts';
import {
  bothProofs,
  codeProof,
  newApiKey,
  newInvitation,
  organizationChange,
  passwordChange,
  passwordProof,
  personChange,
  rotation,
} from '../../models/schemas/dashboard.ts';
import { anyText, caller } from '../../models/schemas/internal.ts';
import { nullable, optional, required } from '../../models/schemas/schema.ts';
import { uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

/** A session of the dashboard that was started. */
export interface StartedSession {
  /** The value of the cookie. */
  token: string;
  view: api.SessionView;
}

const client = { ip: optional(nullable(anyText)), userAgent: optional(nullable(anyText)) };
const ofKey = { caller: required(caller), keyId: required(uuid) };
const proofs = { caller: required(caller), proof: required(bothProofs) };

/** Actions of the accounts actor on sessions of the dashboard and the people of an account. */
export const peopleActions = {
  startSession: action({
    params: { email: required(anyText), password: required(anyText), code: optional(anyText), ...client },
    result: type<StartedSession>(),
    repeatable: false,
  }),
  readSession: action({
    params: { tokenHash: required(anyText) },
    result: type<api.CurrentSessionView>(),
    repeatable: true,
  }),
  endSession: action({ params: { tokenHash: required(anyText) }, result: type<null>(), repeatable: true }),
  readInvitation: action({
    params: { token: required(anyText) },
    result: type<api.OpenInvitationView>(),
    repeatable: true,
  }),
  acceptInvitation: action({
    params: { token: required(anyText), password: required(anyText), ...client },
    result: type<StartedSession>(),
    repeatable: false,
  }),
  readProfile: action({ params: { caller: required(caller) }, result: type<api.ProfileView>(), repeatable: true }),
  changePassword: action({
    params: { caller: required(caller), change: required(passwordChange) },
    result: type<null>(),
    repeatable: false,
  }),
  listSessions: action({
    params: { caller: required(caller) },
    result: type<{ items: api.SessionItemView[] }>(),
    repeatable: true,
  }),
  revokeSession: action({
    params: { caller: required(caller), sessionId: required(uuid) },
    result: type<null>(),
    repeatable: false,
  }),
  revokeOtherSessions: action({ params: { caller: required(caller) }, result: type<null>(), repeatable: true }),
  beginSecondFactor: action({
    params: { caller: required(caller), proof: required(passwordProof) },
    result: type<api.NewSecondFactorView>(),
    repeatable: false,
  }),
  confirmSecondFactor: action({
    params: { caller: required(caller), proof: required(codeProof) },
    result: type<api.RecoveryCodesView>(),
    repeatable: false,
  }),
  replaceRecoveryCodes: action({ params: proofs, result: type<api.RecoveryCodesView>(), repeatable: false }),
  removeSecondFactor: action({ params: proofs, result: type<null>(), repeatable: false }),
  listPeople: action({
    params: { caller: required(caller) },
    result: type<{ items: api.PersonView[] }>(),
    repeatable: true,
  }),
  changePerson: action({
    params: { caller: required(caller), userId: required(uuid), change: required(personChange) },
    result: type<api.PersonView>(),
    repeatable: false,
  }),
  listInvitations: action({
    params: { caller: required(caller) },
    result: type<{ items: api.InvitationView[] }>(),
    repeatable: true,
  }),
  invitePerson: action({
    params: { caller: required(caller), invitation: required(newInvitation) },
    result: type<api.NewInvitationView>(),
    repeatable: false,
  }),
  revokeInvitation: action({
    params: { caller: required(caller), invitationId: required(uuid) },
    result: type<null>(),
    repeatable: false,
  }),
  listApiKeys: action({
    params: { caller: required(caller) },
    result: type<{ items: api.ApiKeyView[] }>(),
    repeatable: true,
  }),
  createApiKey: action({
    params: { caller: required(caller), wanted: required(newApiKey) },
    result: type<api.NewApiKeyView>(),
    repeatable: false,
  }),
  rotateApiKey: action({
    params: { ...ofKey, rotation: required(rotation) },
    result: type<api.NewApiKeyView>(),
    repeatable: false,
  }),
  deactivateApiKey: action({ params: ofKey, result: type<api.ApiKeyView>(), repeatable: false }),
  reactivateApiKey: action({ params: ofKey, result: type<api.ApiKeyView>(), repeatable: false }),
  readOrganization: action({
    params: { caller: required(caller) },
    result: type<api.OrganizationProfileView>(),
    repeatable: true,
  }),
  changeOrganization: action({
    params: { caller: required(caller), change: required(organizationChange) },
    result: type<api.OrganizationProfileView>(),
    repeatable: false,
  }),
};
