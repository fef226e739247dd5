import type { Records } from '../../adapters/records/port.ts';
import { organizations } from '../../models/organization.ts';
import { scopeOf, systemScope } from '../../models/scope.ts';
import { settingsRows, type EffectiveSettings, type SettingsRow } from '../../models/settings.ts';
import type { House } from '../house.ts';
import { effectiveSettings, type SettingsChain } from './inherit.ts';

/** What of the house settings are read with. */
export type SettingsHouse = Pick<House, 'records' | 'ambient'>;

/** How long settings are believed, in milliseconds: so long a change in another process may go unnoticed. */
const believed = 1000;
/** Organizations remembered at a time. */
const mostRemembered = 10_000;

interface Remembered {
  at: number;
  settings: Promise<EffectiveSettings>;
}

/** What each process remembers, by its records. */
const memories = new WeakMap<Records, Map<string, Remembered>>();

/** The rows of an organization and of its parent, as they are now. @throws StoreUnavailable */
export async function settingsChain({ records }: Pick<House, 'records'>, organizationId: string): Promise<SettingsChain & { parentId: string | null }> {
  const rowOf = (id: string): Promise<SettingsRow | null> => records.collection(settingsRows, scopeOf(id)).get(id);
  const [organization, own] = await Promise.all([records.collection(organizations, systemScope).get(organizationId), rowOf(organizationId)]);
  const parentId = organization?.parentId ?? null;
  return { own, parent: parentId === null ? null : await rowOf(parentId), parentId };
}

/**
 * What holds for an organization: its own settings, else its parent's, else the deployment's. Believed for a second; a
 * change made in this process holds at once.
 * @throws StoreUnavailable
 */
export function settingsOf({ records, ambient }: SettingsHouse, organizationId: string): Promise<EffectiveSettings> {
  const memory = memories.get(records) ?? new Map<string, Remembered>();
  memories.set(records, memory);
  const now = ambient.now();
  const known = memory.get(organizationId);
  // A clock that was set back makes nothing young.
  if (known !== undefined && now >= known.at && now - known.at < believed) return known.settings;
  const remembered: Remembered = { at: now, settings: settingsChain({ records }, organizationId).then(effectiveSettings) };
  remembered.settings.catch(() => {
    // Whoever asked is told; the next one asks again.
    if (memory.get(organizationId) === remembered) memory.delete(organizationId);
  });
  memory.delete(organizationId);
  memory.set(organizationId, remembered);
  for (const oldest of memory.keys()) {
    if (memory.size <= mostRemembered) break;
    memory.delete(oldest);
  }
  return remembered.settings;
}

/** Settings were changed: what this process remembers of any organization is asked again, since others may inherit them. */
export function forgetSettings({ records }: Pick<House, 'records'>): void {
  memories.delete(records);
}
