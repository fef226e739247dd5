import { deploymentSettings, type EffectiveSettings, type SettingsRow, type VideoDefaults } from '../../models/settings.ts';

/** The rows that an organization's settings come from, the nearest first: its own, then its parent's. Null for none. */
export interface SettingsChain {
  own: SettingsRow | null;
  parent: SettingsRow | null;
}

/** Whose value holds. */
export type Origin = 'own' | 'parent' | 'deployment';

type RowField = Exclude<keyof SettingsRow, '_id' | 'organizationId' | 'createdAt' | 'updatedAt' | 'videoDefaults'>;

/** Whether a row sets a field: an empty list of hosts sets nothing. */
function sets(row: SettingsRow | null, field: RowField): boolean {
  const value = row?.[field] ?? null;
  return value !== null && !(Array.isArray(value) && value.length === 0);
}

/** Whose value of a field holds. */
export function originOf({ own, parent }: SettingsChain, field: RowField): Origin {
  return sets(own, field) ? 'own' : sets(parent, field) ? 'parent' : 'deployment';
}

/** Whose value of a field of the video settings holds. */
export function videoOriginOf({ own, parent }: SettingsChain, field: keyof VideoDefaults): Origin {
  return (own?.videoDefaults[field] ?? null) !== null ? 'own' : (parent?.videoDefaults[field] ?? null) !== null ? 'parent' : 'deployment';
}

/** What holds for an organization: each field by itself from the nearest that sets it. A parent's value is no limit. */
export function effectiveSettings(chain: SettingsChain): EffectiveSettings {
  const nearest = <K extends RowField>(field: K): NonNullable<SettingsRow[K]> | null => {
    const row = sets(chain.own, field) ? chain.own : sets(chain.parent, field) ? chain.parent : null;
    return row?.[field] ?? null;
  };
  const video = <K extends keyof VideoDefaults>(field: K): VideoDefaults[K] =>
    chain.own?.videoDefaults[field] ?? chain.parent?.videoDefaults[field] ?? deploymentSettings.videoDefaults[field];
  const sealed = nearest('sealedCallbackSecret');
  const secretOf = originOf(chain, 'sealedCallbackSecret') === 'own' ? chain.own : chain.parent;
  return {
    sourceHosts: nearest('sourceHosts') ?? deploymentSettings.sourceHosts,
    callbackUrl: nearest('callbackUrl') ?? deploymentSettings.callbackUrl,
    callbackSecret: sealed === null || secretOf === null ? null : { organizationId: secretOf.organizationId, sealed },
    dailyAudioHours: nearest('dailyAudioHours') ?? deploymentSettings.dailyAudioHours,
    requireAcl: nearest('requireAcl') ?? deploymentSettings.requireAcl,
    extractContentFromVideoFrames: nearest('extractContentFromVideoFrames') ?? deploymentSettings.extractContentFromVideoFrames,
    searchLogDays: nearest('searchLogDays') ?? deploymentSettings.searchLogDays,
    videoDefaults: { ladder: video('ladder'), keepOriginal: video('keepOriginal'), download: video('download'), thumbnails: video('thumbnails') },
  };
}
