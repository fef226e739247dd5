import { invalid } from '../errors.ts';
import { ladderHeights, type OwnOf, type SettingName, type SettingsChange, type SettingsView, type VideoDefaults } from '../settings.ts';
import { answer, orNull, text as anyText, words } from './answers.ts';
import { leaf } from './leaf.ts';
import type { JsonObject } from '../json.ts';
import { left, list, nullable, object, type Schema } from './schema.ts';
import { flag, mapped, text, whole } from './values.ts';

const label = '[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?';
const host = text(1, 253, { source: `^(\\*\\.)?(${label}\\.)*${label}$`, expected: 'a bare host name, `*.` allowed in front' });

const addressForm = { source: '^[hH][tT][tT][pP][sS]?://[^@/?#\\\\\\u0000-\\u0020\\u007f]+([/?][^#\\\\\\u0000-\\u0020\\u007f]*)?$', expected: 'a plain HTTPS address without credentials or a fragment' };
/** Whether plain http, another port or an address that is not public will do is the deployment's to say. */
const callbackUrl = mapped(text(1, 4096, addressForm), (given) => {
  if (!URL.canParse(given)) throw invalid([], `must be ${addressForm.expected}`);
  return given;
});

/** A number, whole or not. */
function decimal(bounds: { min?: number; max?: number }): Schema<number> {
  const check = leaf({ type: 'number', ...bounds });
  const { min, max } = bounds;
  return {
    json: { type: 'number', ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) },
    check: (value) => {
      check(value);
      return Number(value) + 0;
    },
  };
}

const isHeight = leaf({ type: 'enum', values: [...ladderHeights] });
const height: Schema<number> = {
  json: { type: 'integer', enum: [...ladderHeights] },
  check: (value) => {
    isHeight(value);
    return Number(value);
  },
};

const heights = list(height, ladderHeights.length, 1);
/** Heights, each once; they become ascending. */
const ladder: Schema<number[]> = {
  json: { ...heights.json, uniqueItems: true },
  check: (value) => {
    const given = heights.check(value);
    if (new Set(given).size < given.length) throw invalid([], 'must hold each height once');
    return given.toSorted((one, other) => one - other);
  },
};

const videoDefaults = object({
  ladder: left(nullable(ladder)),
  keepOriginal: left(nullable(flag)),
  download: left(nullable(flag)),
  thumbnails: left(nullable(flag)),
});

/** Body of PUT and PATCH /settings. */
export const settingsChange: Schema<SettingsChange> = object({
  sourceHosts: left(nullable(list(host, 200))),
  callbackUrl: left(nullable(callbackUrl)),
  callbackSecret: left(nullable(text(32, 512))),
  dailyBudgetUsd: left(nullable(decimal({}))),
  dailyAudioHours: left(nullable(decimal({ min: 0, max: 100_000 }))),
  requireAcl: left(nullable(flag)),
  extractContentFromVideoFrames: left(nullable(flag)),
  searchLogDays: left(nullable(whole(0, 3650))),
  videoDefaults: left(nullable(videoDefaults)),
});

const yes: JsonObject = { type: 'boolean' };
const video = answer<VideoDefaults>('VideoSettings', { ladder: ladder.json, keepOriginal: yes, download: yes, thumbnails: yes });
const ownVideo = answer<OwnOf<VideoDefaults>>('OwnVideoSettings', { ladder: orNull(ladder.json), keepOriginal: orNull(yes), download: orNull(yes), thumbnails: orNull(yes) });
const videoOrigin = words('organization', 'parent', 'default');
const videoOrigins = answer<SettingsView['videoDefaultsOrigins']>('VideoSettingsOrigins', { ladder: videoOrigin, keepOriginal: videoOrigin, download: videoOrigin, thumbnails: videoOrigin });
const origin: JsonObject = { type: 'string', description: "The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one." };
const origins = answer<{ [K in SettingName]: string }>('SettingsOrigins', {
  source_hosts: origin, callback_url: origin, callback_secret: origin, daily_budget_usd: origin, daily_audio_hours: origin, require_acl: origin,
  extract_content_from_video_frames: origin, search_log_days: origin,
});

/** An organization's settings. */
export const settingsAnswer = answer<SettingsView>('Settings', {
  sourceHosts: { type: 'array', items: anyText },
  callbackUrl: orNull(anyText),
  dailyBudgetUsd: { type: 'integer', const: 0 },
  dailyAudioHours: orNull({ type: 'number', minimum: 0 }),
  requireAcl: yes,
  extractContentFromVideoFrames: yes,
  searchLogDays: { type: 'integer', minimum: 0 },
  videoDefaults: video.json,
  callbackSecretSet: yes,
  allowedHostCeiling: { type: 'array', items: anyText },
  configured: yes,
  updatedAt: orNull({ type: 'string', format: 'date-time' }),
  origins: origins.json,
  videoDefaultsOrigins: videoOrigins.json,
  videoDefaultsOwn: ownVideo.json,
  videoPlatformDefaults: video.json,
});
