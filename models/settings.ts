import { defineCollection } from './collection.ts';

/** How the videos of an organization's libraries are prepared. */
export interface VideoDefaults {
  /** Heights in lines, ascending. */
  ladder: number[];
  keepOriginal: boolean;
  download: boolean;
  thumbnails: boolean;
}

/** Heights that a ladder may have. */
export const ladderHeights = [240, 360, 480, 720, 1080, 1440, 2160] as const;

/** Values of a type of settings, of which each may be unset (null): then it is inherited. */
export type OwnOf<T> = { [K in keyof T]: T[K] | null };

/**
 * What an organization has set itself. Null is inherited: from its parent organization, and from the deployment where
 * that has set nothing either.
 */
export interface SettingsRow {
  /** The organization's id. */
  _id: string;
  organizationId: string;
  sourceHosts: string[] | null;
  callbackUrl: string | null;
  /** Sealed for `callbackSecretPlace`. */
  sealedCallbackSecret: string | null;
  dailyAudioHours: number | null;
  requireAcl: boolean | null;
  extractContentFromVideoFrames: boolean | null;
  searchLogDays: number | null;
  videoDefaults: OwnOf<VideoDefaults>;
  createdAt: number;
  updatedAt: number;
}

/** The settings of all organizations: a row for each that has its own. */
export const settingsRows = defineCollection<SettingsRow>({ name: 'settings', owner: 'organization', indexes: [] });

/** The place for which an organization's callback secret is sealed. */
export function callbackSecretPlace(organizationId: string): string {
  return `organization:${organizationId}:callback-secret`;
}

/** What holds for an organization: its own values, else its parent's, else the deployment's. */
export interface EffectiveSettings {
  /** Hosts that sources may have, `*.` allowed in front; none means any that the deployment reads from. */
  sourceHosts: string[];
  callbackUrl: string | null;
  /** The sealed callback secret, and the organization whose it is: that is what it was sealed for. */
  callbackSecret: { organizationId: string; sealed: string } | null;
  /** Hours of recordings that may begin to be indexed a day; null for no cap. */
  dailyAudioHours: number | null;
  /** Whether new files are restricted where nothing else is said. */
  requireAcl: boolean;
  /** Whether pictures of videos are read where the asset does not say. */
  extractContentFromVideoFrames: boolean;
  /** Days for which the text of queries is kept; 0 keeps none. */
  searchLogDays: number;
  videoDefaults: VideoDefaults;
}

/** What holds where no organization of the chain has set anything. */
export const deploymentSettings: EffectiveSettings = {
  sourceHosts: [],
  callbackUrl: null,
  callbackSecret: null,
  dailyAudioHours: null,
  requireAcl: false,
  extractContentFromVideoFrames: false,
  searchLogDays: 90,
  videoDefaults: { ladder: [360, 720, 1080], keepOriginal: true, download: false, thumbnails: true },
};

/** A change of settings, as a client sends it. What is left out stays (PATCH) or is inherited (PUT); null is inherited. */
export interface SettingsChange {
  sourceHosts?: string[] | null;
  callbackUrl?: string | null;
  /** Left out, it stays in both. */
  callbackSecret?: string | null;
  /** Deprecated: taken, and not used. */
  dailyBudgetUsd?: number | null;
  dailyAudioHours?: number | null;
  requireAcl?: boolean | null;
  extractContentFromVideoFrames?: boolean | null;
  searchLogDays?: number | null;
  videoDefaults?: Partial<OwnOf<VideoDefaults>> | null;
}

/** Settings whose origin is told, as `origins` names them. */
export type SettingName =
  | 'source_hosts' | 'callback_url' | 'callback_secret' | 'daily_budget_usd' | 'daily_audio_hours' | 'require_acl' | 'extract_content_from_video_frames' | 'search_log_days';

/** Settings as the API shows them: what holds, and where each value comes from. */
export interface SettingsView extends Omit<EffectiveSettings, 'callbackSecret'> {
  /** Deprecated: always 0. */
  dailyBudgetUsd: 0;
  /** Whether a callback secret holds, an inherited one too. */
  callbackSecretSet: boolean;
  /** Hosts that sources may have at all; empty for any. */
  allowedHostCeiling: string[];
  /** Whether the organization has settings of its own. */
  configured: boolean;
  updatedAt: string | null;
  /** The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one. */
  origins: { [K in SettingName]: string };
  videoDefaultsOrigins: { [K in keyof VideoDefaults]: 'organization' | 'parent' | 'default' };
  videoDefaultsOwn: OwnOf<VideoDefaults>;
  videoPlatformDefaults: VideoDefaults;
}
