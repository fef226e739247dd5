import { organizations } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import {
  mapSettings,
  settings,
  settingsRows,
  storedName,
  videoSettings,
  type EffectiveSettings,
  type OwnOf,
  type SettingsRow,
  type VideoDefaults,
} from '../../models/settings.ts';
import type { AppContext } from '../app-context.ts';

/** The own settings of an organization and of its parent; null if it has none. */
export interface Chain<T extends object> {
  own: T | null;
  parent: T | null;
}

/** The settings documents from which an organization's settings are resolved. */
export type SettingsChain = Chain<SettingsRow>;

/** The origin of an effective value. */
export type Origin = 'own' | 'parent' | 'deployment';

function valueOf(row: object | null, field: string): unknown {
  const value: unknown = row === null ? null : Reflect.get(row, field);
  // An empty list of hosts sets nothing.
  return Array.isArray(value) && value.length === 0 ? null : (value ?? null);
}

/** The origin of a stored field's effective value. */
export function originOf({ own, parent }: Chain<object>, field: string): Origin {
  return valueOf(own, field) !== null ? 'own' : valueOf(parent, field) !== null ? 'parent' : 'deployment';
}

/** The video settings of a chain. */
export function videoChain({ own, parent }: SettingsChain): Chain<OwnOf<VideoDefaults>> {
  return { own: own?.videoDefaults ?? null, parent: parent?.videoDefaults ?? null };
}

/**
 * The effective settings: each is resolved separately from the nearest organization that sets it. A parent's value does
 * not limit its sub-organizations.
 */
export function effectiveSettings(chain: SettingsChain): EffectiveSettings {
  const nearest = (levels: Chain<object>, field: string): unknown =>
    valueOf(levels.own, field) ?? valueOf(levels.parent, field);
  const values = mapSettings<Omit<EffectiveSettings, 'videoDefaults'>, (typeof settings)[keyof typeof settings]>(
    settings,
    (row, name) => {
      const field = storedName(name, row);
      const value = nearest(chain, field);
      if (row.storage !== 'sealed') return value ?? row.default;
      const holder = originOf(chain, field) === 'own' ? chain.own : chain.parent;
      return value === null ? null : { organizationId: holder?.organizationId, sealed: value };
    },
  );
  const video = videoChain(chain);
  const videoDefaults = mapSettings<VideoDefaults, { default: unknown }>(
    videoSettings,
    (row, name) => nearest(video, name) ?? row.default,
  );
  return { ...values, videoDefaults };
}

/** The effective settings if no organization has set anything. */
export const deploymentSettings = effectiveSettings({ own: null, parent: null });

/** The settings documents of an organization and of its parent. @throws StoreUnavailable */
export async function settingsChain(
  { records }: Pick<AppContext, 'records'>,
  organizationId: string,
): Promise<SettingsChain> {
  const rowOf = (id: string): Promise<SettingsRow | null> => records.collection(settingsRows, scopeOf(id)).get(id);
  const [organization, own] = await Promise.all([
    records.collection(organizations, systemScope).get(organizationId),
    rowOf(organizationId),
  ]);
  const parentId = organization?.parentId ?? null;
  return { own, parent: parentId === null ? null : await rowOf(parentId) };
}

/**
 * The effective settings of an organization.
 *
 * They are read from the records at each call and never cached, so that a client reads its own writes: once a change is
 * answered, it applies in every process. A process that cannot reach the store fails instead of applying outdated
 * settings. A call costs two concurrent reads by id, and a third one for a sub-organization.
 * @throws StoreUnavailable
 */
export async function settingsOf(app: Pick<AppContext, 'records'>, organizationId: string): Promise<EffectiveSettings> {
  return effectiveSettings(await settingsChain(app, organizationId));
}
