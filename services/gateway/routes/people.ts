import { route } from '../../../mixins/http/api/route.ts';
import { nothing } from '../../../models/schemas/answers/answer.ts';
import * as answers from '../../../models/schemas/answers/dashboard.ts';
import { newInvitation, personChange } from '../../../models/schemas/dashboard.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { dashboardPath } from './paths.ts';

/** Keys of any scope are refused: these are asked with a session of the account's own organization. */
const common = {
  tag: 'People',
  scope: 'standard',
  role: 'admin',
  dashboardOnly: true,
  ownOrganization: true,
  rate: 'requests',
  idempotency: 'none',
  query: {},
} as const;

/** The people of an account, and invitations. */
export const peopleRoutes = [
  route({
    ...common,
    method: 'GET',
    path: `${dashboardPath}/people`,
    operation: 'listPeople',
    summary: 'Lists the people of the account, active or not.',
    action: 'accounts.listPeople',
    params: {},
    body: null,
    status: 200,
    answer: answers.peopleAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'PATCH',
    path: `${dashboardPath}/people/{userId}`,
    operation: 'changePerson',
    summary: "Changes a person's role, or whether they may sign in. Nobody gives more than they have.",
    action: 'accounts.changePerson',
    params: { userId: required(uuid) },
    body: personChange,
    status: 200,
    answer: answers.personAnswer,
    errors: ['person_not_found', 'last_owner'],
    input: ({ caller, path: { userId }, body }) => ({ caller, userId, change: body }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${dashboardPath}/invitations`,
    operation: 'listInvitations',
    summary: 'Lists the invitations that can be accepted, oldest first.',
    action: 'accounts.listInvitations',
    params: {},
    body: null,
    status: 200,
    answer: answers.invitationsAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${dashboardPath}/invitations`,
    operation: 'invitePerson',
    summary: 'Invites a person for seven days. The answer shows the token of the link, once.',
    action: 'accounts.invitePerson',
    params: {},
    body: newInvitation,
    status: 201,
    answer: answers.newInvitationAnswer,
    errors: ['email_address_taken', 'people_limit_reached'],
    input: ({ caller, body }) => ({ caller, invitation: body }),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${dashboardPath}/invitations/{invitationId}`,
    operation: 'revokeInvitation',
    summary: 'Revokes an invitation: its link is refused at once.',
    action: 'accounts.revokeInvitation',
    params: { invitationId: required(uuid) },
    body: null,
    status: 204,
    answer: nothing,
    errors: ['invitation_not_found'],
    input: ({ caller, path: { invitationId } }) => ({ caller, invitationId }),
  }),
];
