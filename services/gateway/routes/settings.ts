import { settingsAnswer, settingsChange } from '../../../models/schemas/settings.ts';
import type { SettingsChange } from '../../../models/settings.ts';
import { route } from '../../../mixins/http/api/route.ts';
import { contentPath } from './paths.ts';

const common = {
  path: `${contentPath}/settings`,
  tag: 'Settings',
  scope: 'standard',
  rate: 'requests',
  idempotency: 'none',
  params: {},
  query: {},
  status: 200,
  answer: settingsAnswer,
} as const;

/** Restricting is a feature; returning to open files never is. */
function featuresOf({ requireAcl }: SettingsChange): 'permissions'[] {
  return requireAcl === true ? ['permissions'] : [];
}

/** The settings of an organization. */
export const settingsRoutes = [
  route({
    ...common,
    method: 'GET',
    operation: 'readSettings',
    summary: 'Reads what holds for the organization, and where each value comes from.',
    action: 'accounts.readSettings',
    body: null,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'PUT',
    operation: 'replaceSettings',
    summary: 'Replaces the settings of the organization; what is left out is inherited, but the callback secret stays.',
    action: 'accounts.replaceSettings',
    body: settingsChange,
    featuresOf,
    errors: ['source_host_outside_ceiling'],
    input: ({ caller, body }) => ({ caller, settings: body }),
  }),
  route({
    ...common,
    method: 'PATCH',
    operation: 'changeSettings',
    summary: 'Changes the settings that are sent; null returns one to what is inherited.',
    action: 'accounts.changeSettings',
    body: settingsChange,
    featuresOf,
    errors: ['source_host_outside_ceiling'],
    input: ({ caller, body }) => ({ caller, change: body }),
  }),
  route({
    ...common,
    method: 'DELETE',
    operation: 'dropSettings',
    summary: 'Drops the settings of the organization, so that it inherits all again.',
    action: 'accounts.dropSettings',
    body: null,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
];
