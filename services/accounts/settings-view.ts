import { effectiveSettings, originOf, videoOriginOf, type Origin, type SettingsChain } from '../../mixins/settings/inherit.ts';
import { isoTime } from '../../models/ambient.ts';
import type { Configuration } from '../../models/configuration/configuration.ts';
import { deploymentSettings, type SettingsView, type VideoDefaults } from '../../models/settings.ts';

const videoWords = { own: 'organization', parent: 'parent', deployment: 'default' } as const satisfies Record<Origin, string>;

/** Settings as the API shows them. The callback secret is never shown. */
export function settingsView({ PLY_ALLOWED_HOST_CEILING: ceiling }: Pick<Configuration, 'PLY_ALLOWED_HOST_CEILING'>, organizationId: string, chain: SettingsChain): SettingsView {
  const { callbackSecret, ...effective } = effectiveSettings(chain);
  const words: Record<Origin, string> = { own: organizationId, parent: 'owner', deployment: 'deployment' };
  const from = (field: Parameters<typeof originOf>[1]): string => words[originOf(chain, field)];
  const videoFrom = (field: keyof VideoDefaults): (typeof videoWords)[Origin] => videoWords[videoOriginOf(chain, field)];
  return {
    ...effective,
    dailyBudgetUsd: 0,
    callbackSecretSet: callbackSecret !== null,
    allowedHostCeiling: [...ceiling],
    configured: chain.own !== null,
    updatedAt: isoTime(chain.own?.updatedAt ?? null),
    origins: {
      source_hosts: from('sourceHosts'),
      callback_url: from('callbackUrl'),
      callback_secret: from('sealedCallbackSecret'),
      daily_budget_usd: words.deployment,
      daily_audio_hours: from('dailyAudioHours'),
      require_acl: from('requireAcl'),
      extract_content_from_video_frames: from('extractContentFromVideoFrames'),
      search_log_days: from('searchLogDays'),
    },
    videoDefaultsOrigins: { ladder: videoFrom('ladder'), keepOriginal: videoFrom('keepOriginal'), download: videoFrom('download'), thumbnails: videoFrom('thumbnails') },
    videoDefaultsOwn: chain.own?.videoDefaults ?? { ladder: null, keepOriginal: null, download: null, thumbnails: null },
    videoPlatformDefaults: deploymentSettings.videoDefaults,
  };
}
