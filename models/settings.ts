import { defineCollection } from './collection.ts';
import { boolean as booleanAnswer, described, orNull, text as textAnswer, texts } from './schemas/answers/answer.ts';
import { list, type Described, type Infer, type Schema } from './schemas/schema.ts';
import { callbackAddress, host, ladder } from './schemas/setting-values.ts';
import type { settingsAnswer } from './schemas/settings.ts';
import { boolean, decimal, integer, text } from './schemas/values.ts';

/**
 * A setting of an organization. Unset (null), it is inherited from the parent organization, then from the deployment.
 */
interface InheritedSetting<V, E> {
  /** What a client may set. */
  schema: Schema<V>;
  /** The value in force, as the API shows it. */
  answer: Described<E>;
  /** The deployment's value: in force where neither the organization nor its parent sets one. */
  default: E;
}

/**
 * How a setting is stored: as it is under its own name; sealed, as `sealed<Name>`; or not at all, because it is retired
 * and only accepted.
 */
type Storage = 'plain' | 'sealed' | 'none';

interface Setting<V, E, S extends Storage> extends InheritedSetting<V, E> {
  storage: S;
  /** Its name in the API's `origins`. */
  origin: string;
}

function setting<V, E extends V | null, S extends Storage>(
  storage: S,
  origin: string,
  row: { schema: Schema<V>; answer: Described<V | E>; default: E },
): Setting<V, V | E, S> {
  return { ...row, storage, origin };
}

const anyHost: string[] = [];

/**
 * The settings, in the order in which a request's fields are checked. A row is all that a setting needs: the fields of
 * requests and answers, the stored document, the inheritance and the types follow from it.
 */
export const settings = {
  /** Hosts that sources may have, `*.` allowed in front; none means any that the deployment reads from. */
  sourceHosts: setting('plain', 'source_hosts', { schema: list(host, 200), answer: texts, default: anyHost }),
  callbackUrl: setting('plain', 'callback_url', {
    schema: callbackAddress,
    answer: orNull(textAnswer),
    default: null,
  }),
  /** Shown only as `callbackSecretSet`. */
  callbackSecret: setting('sealed', 'callback_secret', {
    schema: text(32, 512),
    answer: orNull(textAnswer),
    default: null,
  }),
  /** Deprecated: accepted, and always 0. */
  dailyBudgetUsd: setting('none', 'daily_budget_usd', {
    schema: decimal({}),
    answer: described<number>({ type: 'integer', const: 0 }),
    default: 0,
  }),
  /** Hours of recordings that may begin to be indexed a day; null for no limit. */
  dailyAudioHours: setting('plain', 'daily_audio_hours', {
    schema: decimal({ min: 0, max: 100_000 }),
    answer: orNull(described<number>({ type: 'number', minimum: 0 })),
    default: null,
  }),
  /** Whether new files are restricted where the registration names no principals. */
  requireAcl: setting('plain', 'require_acl', { schema: boolean, answer: booleanAnswer, default: false }),
  /** Whether pictures of videos are read where the asset does not say. */
  extractContentFromVideoFrames: setting('plain', 'extract_content_from_video_frames', {
    schema: boolean,
    answer: booleanAnswer,
    default: false,
  }),
  /** Days for which the text of queries is kept; 0 keeps none. */
  searchLogDays: setting('plain', 'search_log_days', {
    schema: integer(0, 3650),
    answer: described<number>({ type: 'integer', minimum: 0 }),
    default: 90,
  }),
};

const flagSetting = (value: boolean): InheritedSetting<boolean, boolean> => ({
  schema: boolean,
  answer: booleanAnswer,
  default: value,
});

/** How videos of an organization's libraries are prepared: settings that the API shows as `videoDefaults`. */
export const videoSettings = {
  /** Heights in lines, ascending. */
  ladder: { schema: ladder, answer: ladder, default: [360, 720, 1080] },
  keepOriginal: flagSetting(true),
  download: flagSetting(false),
  thumbnails: flagSetting(true),
} satisfies { [name: string]: InheritedSetting<unknown, unknown> };

type Settings = typeof settings;
type NamesStored<S extends Storage> = {
  [K in keyof Settings]: Settings[K]['storage'] extends S ? K : never;
}[keyof Settings];

/** Values of settings, each of which may be unset. */
export type OwnOf<T> = { [K in keyof T]: T[K] | null };
/** The values in force of the video settings. */
export type VideoDefaults = { [K in keyof typeof videoSettings]: Infer<(typeof videoSettings)[K]['schema']> };

/** The stored fields of the settings but for the video settings; null is inherited. */
export type StoredFields = { [K in NamesStored<'plain'>]: Infer<Settings[K]['schema']> | null } & {
  [K in NamesStored<'sealed'> as `sealed${Capitalize<K>}`]: string | null;
};

/** The document with an organization's own settings. */
export type SettingsRow = StoredFields & {
  /** The organization's id. */
  _id: string;
  organizationId: string;
  videoDefaults: OwnOf<VideoDefaults>;
  createdAt: number;
  updatedAt: number;
};

/** The settings documents of all organizations that have set anything. */
export const settingsRows = defineCollection<SettingsRow>({ name: 'settings', owner: 'organization', indexes: [] });

/** The purpose for which an organization's callback secret is sealed. */
export function callbackSecretContext(organizationId: string): string {
  return `organization:${organizationId}:callback-secret`;
}

/** A sealed value in force, and the organization that it was sealed for: its own, or its parent. */
export interface SealedSetting {
  organizationId: string;
  sealed: string;
}

/** The settings in force for an organization: its own values, else its parent's, else the deployment's. */
export type EffectiveSettings = { [K in NamesStored<'plain' | 'none'>]: Infer<Settings[K]['answer']> } & {
  [K in NamesStored<'sealed'>]: SealedSetting | null;
} & { videoDefaults: VideoDefaults };

/**
 * A change of settings as a client sends it. A field that is left out is kept (PATCH) or inherited (PUT, but for the
 * callback secret, which is kept); null is inherited.
 */
export type SettingsChange = { [K in keyof Settings]?: Infer<Settings[K]['schema']> | null } & {
  videoDefaults?: Partial<OwnOf<VideoDefaults>> | null;
};

/** Settings as the API shows them: the values in force, and where each comes from. */
export type SettingsView = Infer<typeof settingsAnswer>;

/** The name under which a setting is stored. */
export function storedName(name: string, { storage }: { storage: Storage }): string {
  return storage === 'sealed' ? `sealed${name.charAt(0).toUpperCase()}${name.slice(1)}` : name;
}

/**
 * An object with the names of a table of settings, whose values are made of its rows.
 * @typeParam M the object: the compiler cannot infer it, since each name has a value of another type
 */
export function mapSettings<M extends object, R>(
  table: { readonly [K in keyof M]: R } | { readonly [name: string]: R },
  make: (row: R, name: string) => unknown,
): M {
  // Every name of the table is there; that `make` answers the value of each name is its caller's to see to.
  return Object.fromEntries(Object.entries<R>(table).map(([name, row]) => [name, make(row, name)])) as M;
}

/** The video settings, all unset. */
export const unsetVideo = mapSettings<OwnOf<VideoDefaults>, unknown>(videoSettings, () => null);

/** The stored fields of the settings but for the video settings, all unset. */
export function unsetFields(): StoredFields {
  const stored = Object.entries(settings).filter(([, { storage }]) => storage !== 'none');
  const rows = Object.fromEntries(stored.map(([name, row]) => [storedName(name, row), row]));
  return mapSettings<StoredFields, unknown>(rows, () => null);
}

/** A settings document in which nothing is set. @param now milliseconds */
export function emptySettings(organizationId: string, now: number): SettingsRow {
  return {
    _id: organizationId,
    organizationId,
    ...unsetFields(),
    videoDefaults: { ...unsetVideo },
    createdAt: now,
    updatedAt: now,
  };
}
