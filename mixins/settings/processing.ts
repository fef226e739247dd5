import { mapSettings, videoSettings, type OwnOf, type VideoDefaults } from '../../models/settings.ts';
import type { EncodingSettings, ProcessingOrigin, ProcessingOrigins } from '../../models/video.ts';
import { effectiveSettings, originOf, videoChain, type SettingsChain } from './settings.ts';

const originNames = { own: 'organization', parent: 'parent', deployment: 'default' } as const;

/**
 * The settings that a library's videos are encoded with: each is the library's own, else the organization's, else its
 * parent's, else the deployment's.
 */
export function processingOf(own: OwnOf<VideoDefaults>, chain: SettingsChain): EncodingSettings {
  const inherited = effectiveSettings(chain).videoDefaults;
  const levels = videoChain(chain);
  const values = mapSettings<VideoDefaults, unknown>(
    videoSettings,
    (_, name) => fieldOf(own, name) ?? fieldOf(inherited, name),
  );
  const origins = mapSettings<ProcessingOrigins, unknown>(videoSettings, (_, name): ProcessingOrigin =>
    fieldOf(own, name) === null ? originNames[originOf(levels, name)] : 'library',
  );
  return { ...values, origins };
}

function fieldOf(values: object, name: string): unknown {
  return (Reflect.get(values, name) as unknown) ?? null;
}
