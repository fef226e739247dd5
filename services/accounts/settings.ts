import type { Change, Collection } from '../../adapters/records/port.ts';
import { faultOfTarget } from '../../mixins/guarded-client/addresses.ts';
import type { House } from '../../mixins/house.ts';
import { forgetSettings, settingsChain } from '../../mixins/settings/settings.ts';
import { isPatternWithinCeiling } from '../../mixins/sources/hosts.ts';
import type { Caller } from '../../models/api.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import { scopeOf } from '../../models/scope.ts';
import { callbackSecretPlace, settingsRows, type OwnOf, type SettingsChange, type SettingsRow, type SettingsView, type VideoDefaults } from '../../models/settings.ts';
import { settingsView } from './settings-view.ts';

/** What of the house settings need. */
export type SettingsHouse = Pick<House, 'records' | 'ambient' | 'configuration' | 'sealer'>;

const attempts = 20;

/** A row's fields but for the video settings, those that are written. */
type Fields = Partial<Pick<SettingsRow, keyof typeof noPlain | 'sealedCallbackSecret'>>;

const noPlain = { sourceHosts: null, callbackUrl: null, dailyAudioHours: null, requireAcl: null, extractContentFromVideoFrames: null, searchLogDays: null } as const;
const noVideo: OwnOf<VideoDefaults> = { ladder: null, keepOriginal: null, download: null, thumbnails: null };

/** What holds for the caller's organization, and where it comes from. */
export async function readSettings(house: SettingsHouse, caller: Caller): Promise<SettingsView> {
  const { organizationId } = caller;
  return settingsView(house.configuration, organizationId, await settingsChain(house, organizationId));
}

/** Replaces the organization's own settings: what is not sent is inherited, but for the callback secret, which stays. @throws Refusal */
export async function replaceSettings(house: SettingsHouse, caller: Caller, settings: SettingsChange): Promise<SettingsView> {
  check(house, settings);
  await write(house, caller.organizationId, { ...noPlain, ...storedFields(house, caller, settings) }, { ...noVideo, ...settings.videoDefaults });
  return readSettings(house, caller);
}

/** Changes the settings that are sent; null leaves them to the parent. Where none is sent nothing is changed. @throws Refusal */
export async function changeSettings(house: SettingsHouse, caller: Caller, change: SettingsChange): Promise<SettingsView> {
  check(house, change);
  const fields = storedFields(house, caller, change);
  const video = change.videoDefaults === null ? noVideo : (change.videoDefaults ?? {});
  if (Object.keys({ ...fields, ...video }).length > 0) await write(house, caller.organizationId, fields, video);
  return readSettings(house, caller);
}

/** Drops the organization's own settings, the callback secret with them: all is inherited again. */
export async function dropSettings(house: SettingsHouse, caller: Caller): Promise<SettingsView> {
  await rowsOf(house, caller.organizationId).remove(caller.organizationId);
  forgetSettings(house);
  return readSettings(house, caller);
}

/** Checks what the gateway's schema cannot know. @throws Refusal `validation_error`, `source_host_outside_ceiling` */
function check({ configuration }: SettingsHouse, { sourceHosts, callbackUrl }: SettingsChange): void {
  const { PLY_ALLOWED_HOST_CEILING: ceiling, PLY_PRIVATE_NETWORKS: privateNetworks } = configuration;
  if (typeof callbackUrl === 'string' && faultOfTarget(new URL(callbackUrl), privateNetworks) !== null) {
    throw invalid(['body', 'callbackUrl'], 'A callback address is https, on port 443, and public.');
  }
  const outside = sourceHosts?.find((host) => !isPatternWithinCeiling(host, ceiling));
  if (outside !== undefined) throw new Refusal('source_host_outside_ceiling', { detail: `${outside} is outside what this service reads from; GET /settings shows it as allowedHostCeiling.` });
}

/** The fields that were sent, as they are stored. The deprecated budget is not. */
function storedFields({ sealer }: SettingsHouse, { organizationId }: Caller, change: SettingsChange): Fields {
  const { callbackSecret: secret, dailyBudgetUsd: _unused, videoDefaults: _apart, ...plain } = change;
  if (secret === undefined) return plain;
  return { ...plain, sealedCallbackSecret: secret === null ? null : sealer.seal(secret, callbackSecretPlace(organizationId)) };
}

function rowsOf({ records }: SettingsHouse, organizationId: string): Collection<SettingsRow> {
  return records.collection(settingsRows, scopeOf(organizationId));
}

/** Writes fields into the organization's row, or makes the row with them: one write either way, whoever else writes. */
async function write(house: SettingsHouse, organizationId: string, fields: Fields, video: Partial<OwnOf<VideoDefaults>>): Promise<void> {
  const rows = rowsOf(house, organizationId);
  const now = house.ambient.now();
  const videoPaths = Object.fromEntries(Object.entries(video).map(([field, value]) => [`videoDefaults.${field}`, value]));
  const change: Change = { set: { ...fields, ...videoPaths, updatedAt: now } };
  const row: SettingsRow = { _id: organizationId, organizationId, ...noPlain, sealedCallbackSecret: null, ...fields, videoDefaults: { ...noVideo, ...video }, createdAt: now, updatedAt: now };
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if ((await rows.update(organizationId, {}, change)) !== null || (await rows.insertNew([row])).length > 0) {
      forgetSettings(house);
      return;
    }
  }
  throw new Refusal('content_service_unavailable', { detail: 'The settings are being changed by too many at once; try again.', retryable: true, retryAfter: 1 });
}
