import type { Change, Collection } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { faultOfTarget } from '../../mixins/guarded-client/addresses.ts';
import {
  effectiveSettings,
  originOf,
  settingsChain,
  videoChain,
  type Origin,
  type SettingsChain,
} from '../../mixins/settings/settings.ts';
import { isPatternWithinCeiling } from '../../mixins/sources/hosts.ts';
import type { Caller } from '../../models/api.ts';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { isoTime } from '../../models/runtime.ts';
import { scopeOf } from '../../models/scope.ts';
import {
  callbackSecretContext,
  emptySettings,
  mapSettings,
  settings,
  settingsRows,
  storedName,
  unsetFields,
  unsetVideo,
  videoSettings,
  type OwnOf,
  type SettingsChange,
  type SettingsRow,
  type SettingsView,
  type StoredFields,
  type VideoDefaults,
} from '../../models/settings.ts';

/** The part of the app context that settings use. */
export type SettingsContext = Pick<AppContext, 'records' | 'runtime' | 'configuration' | 'sealer'>;

const maxAttempts = 20;

/** The effective settings of the caller's organization, with the origin of each. */
export async function readSettings(app: SettingsContext, { organizationId }: Caller): Promise<SettingsView> {
  return settingsView(app.configuration, organizationId, await settingsChain(app, organizationId));
}

/**
 * Replaces the organization's own settings. Settings that are not sent become inherited, except for the callback
 * secret, which is kept.
 * @throws Refusal `validation_error`, `source_host_outside_ceiling`
 */
export async function replaceSettings(
  app: SettingsContext,
  caller: Caller,
  change: SettingsChange,
): Promise<SettingsView> {
  check(app, change);
  const { sealedCallbackSecret: _kept, ...unset } = unsetFields();
  const fields = { ...unset, ...storedFields(app, caller, change) };
  await write(app, caller.organizationId, fields, { ...unsetVideo, ...change.videoDefaults });
  return readSettings(app, caller);
}

/**
 * Changes the settings that are sent; null makes a setting inherited. A change without any setting writes nothing.
 * @throws Refusal `validation_error`, `source_host_outside_ceiling`
 */
export async function changeSettings(
  app: SettingsContext,
  caller: Caller,
  change: SettingsChange,
): Promise<SettingsView> {
  check(app, change);
  const fields = storedFields(app, caller, change);
  const video = change.videoDefaults === null ? unsetVideo : (change.videoDefaults ?? {});
  if (Object.keys({ ...fields, ...video }).length > 0) await write(app, caller.organizationId, fields, video);
  return readSettings(app, caller);
}

/** Removes the organization's own settings, including the callback secret: all are inherited again. */
export async function dropSettings(app: SettingsContext, caller: Caller): Promise<SettingsView> {
  await rowsOf(app, caller.organizationId).remove(caller.organizationId);
  return readSettings(app, caller);
}

/**
 * Checks the values that depend on the deployment, which the schema cannot.
 * @throws Refusal `validation_error`, `source_host_outside_ceiling`
 */
function check({ configuration }: SettingsContext, { sourceHosts, callbackUrl }: SettingsChange): void {
  const { PLY_ALLOWED_HOST_CEILING: ceiling, PLY_PRIVATE_NETWORKS: privateNetworks } = configuration;
  if (typeof callbackUrl === 'string' && faultOfTarget(new URL(callbackUrl), privateNetworks) !== null) {
    throw invalid(['body', 'callbackUrl'], 'A callback address is https, on port 443, and public.');
  }
  const outside = sourceHosts?.find((host) => !isPatternWithinCeiling(host, ceiling));
  if (outside !== undefined)
    throw new Refusal('source_host_outside_ceiling', {
      detail: `${outside} is outside what this service reads from; GET /settings shows it as allowedHostCeiling.`,
    });
}

/** The sent fields as they are stored. The retired budget is dropped. */
function storedFields(
  { sealer }: SettingsContext,
  { organizationId }: Caller,
  change: SettingsChange,
): Partial<StoredFields> {
  const { callbackSecret: secret, dailyBudgetUsd: _retired, videoDefaults: _nested, ...plain } = change;
  if (secret === undefined) return plain;
  return {
    ...plain,
    sealedCallbackSecret: secret === null ? null : sealer.seal(secret, callbackSecretContext(organizationId)),
  };
}

function rowsOf({ records }: SettingsContext, organizationId: string): Collection<SettingsRow> {
  return records.collection(settingsRows, scopeOf(organizationId));
}

/** Updates the organization's document, or inserts it: one write in either case. */
async function write(
  app: SettingsContext,
  organizationId: string,
  fields: Partial<StoredFields>,
  video: Partial<OwnOf<VideoDefaults>>,
): Promise<void> {
  const rows = rowsOf(app, organizationId);
  const now = app.runtime.now();
  const videoPaths = Object.fromEntries(
    Object.entries(video).map(([field, value]) => [`videoDefaults.${field}`, value]),
  );
  const change: Change = { set: { ...fields, ...videoPaths, updatedAt: now } };
  const row: SettingsRow = {
    ...emptySettings(organizationId, now),
    ...fields,
    videoDefaults: { ...unsetVideo, ...video },
  };
  for (let attempt = 0; attempt < maxAttempts; attempt += 1)
    if ((await rows.update(organizationId, {}, change)) !== null || (await rows.insertNew([row])).length > 0) return;
  throw new Refusal('content_service_unavailable', {
    detail: 'The settings are being changed by too many at once; try again.',
    retryable: true,
    retryAfter: 1,
  });
}

const videoOrigins = { own: 'organization', parent: 'parent', deployment: 'default' } as const satisfies Record<
  Origin,
  string
>;

/** Settings as the API shows them. The callback secret is never shown. */
function settingsView(
  { PLY_ALLOWED_HOST_CEILING: ceiling }: Pick<Configuration, 'PLY_ALLOWED_HOST_CEILING'>,
  organizationId: string,
  chain: SettingsChain,
): SettingsView {
  const { callbackSecret, ...effective } = effectiveSettings(chain);
  const origins: Record<Origin, string> = { own: organizationId, parent: 'owner', deployment: 'deployment' };
  const video = videoChain(chain);
  return {
    ...effective,
    callbackSecretSet: callbackSecret !== null,
    allowedHostCeiling: [...ceiling],
    configured: chain.own !== null,
    updatedAt: isoTime(chain.own?.updatedAt ?? null),
    origins: Object.fromEntries(
      Object.entries(settings).map(([name, row]) => [row.origin, origins[originOf(chain, storedName(name, row))]]),
    ),
    videoDefaultsOrigins: mapSettings<SettingsView['videoDefaultsOrigins'], unknown>(
      videoSettings,
      (_row, name) => videoOrigins[originOf(video, name)],
    ),
    videoDefaultsOwn: video.own ?? unsetVideo,
    videoPlatformDefaults: mapSettings<VideoDefaults, { default: unknown }>(videoSettings, (row) => row.default),
  };
}
