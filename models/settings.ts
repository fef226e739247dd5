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
