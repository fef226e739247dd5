import type { components, paths } from '../../api/schema.d.ts';

/** The settings of an organization. */
export type Settings = components['schemas']['Settings'];
/** Changed settings; null is inherited again. */
export type SettingsBody = NonNullable<
  paths['/api/content/v1/settings']['patch']['requestBody']
>['content']['application/json'];
/** Where a value comes from. */
export type Origin = 'own' | 'owner' | 'deployment';

/** A setting as the page shows and changes it: as text. */
export interface SettingRow {
  name:
    | 'sourceHosts'
    | 'callbackUrl'
    | 'callbackSecret'
    | 'dailyAudioHours'
    | 'requireAcl'
    | 'extractContentFromVideoFrames'
    | 'searchLogDays'
    | 'ladder'
    | 'keepOriginal'
    | 'download'
    | 'thumbnails';
  kind: 'lines' | 'text' | 'secret' | 'number' | 'flag' | 'heights';
  /** The value in force; empty for none. */
  read: (settings: Settings) => string;
  origin: (settings: Settings) => Origin;
  /** The change to a value that was typed, or to the inherited one. */
  write: (text: string | null) => SettingsBody;
}

const originOf =
  (name: string) =>
  (settings: Settings): Origin => {
    const origin = settings.origins[name as keyof Settings['origins']];
    return origin === 'owner' || origin === 'deployment' ? origin : 'own';
  };
const videoOrigin =
  (name: keyof Settings['videoDefaultsOrigins']) =>
  (settings: Settings): Origin =>
    (({ organization: 'own', parent: 'owner', default: 'deployment' }) as const)[settings.videoDefaultsOrigins[name]];
const flag = (text: string | null): boolean | null => (text === null ? null : text === 'true');
const number = (text: string | null): number | null => (text === null || text.trim() === '' ? null : Number(text));
const listed = (text: string | null, separator: RegExp): string[] | null =>
  text === null
    ? null
    : text
        .split(separator)
        .map((each) => each.trim())
        .filter((each) => each !== '');

/** Heights that renditions may have. */
export const heights = [240, 360, 480, 720, 1080, 1440, 2160] as const;

function heightsIn(text: string): number[] {
  return (listed(text, /,/) ?? []).map(Number);
}

/** Settings of content. */
export const contentRows: readonly SettingRow[] = [
  {
    name: 'sourceHosts',
    kind: 'lines',
    read: ({ sourceHosts }) => sourceHosts.join('\n'),
    origin: originOf('source_hosts'),
    write: (text) => ({ sourceHosts: listed(text, /\n/) }),
  },
  {
    name: 'callbackUrl',
    kind: 'text',
    read: ({ callbackUrl }) => callbackUrl ?? '',
    origin: originOf('callback_url'),
    write: (text) => ({ callbackUrl: text }),
  },
  {
    name: 'callbackSecret',
    kind: 'secret',
    read: ({ callbackSecretSet }) => (callbackSecretSet ? 'true' : ''),
    origin: originOf('callback_secret'),
    write: (text) => ({ callbackSecret: text }),
  },
  {
    name: 'dailyAudioHours',
    kind: 'number',
    read: ({ dailyAudioHours }) => (dailyAudioHours === null ? '' : String(dailyAudioHours)),
    origin: originOf('daily_audio_hours'),
    write: (text) => ({ dailyAudioHours: number(text) }),
  },
  {
    name: 'requireAcl',
    kind: 'flag',
    read: ({ requireAcl }) => String(requireAcl),
    origin: originOf('require_acl'),
    write: (text) => ({ requireAcl: flag(text) }),
  },
  {
    name: 'extractContentFromVideoFrames',
    kind: 'flag',
    read: (settings) => String(settings.extractContentFromVideoFrames),
    origin: originOf('extract_content_from_video_frames'),
    write: (text) => ({ extractContentFromVideoFrames: flag(text) }),
  },
  {
    name: 'searchLogDays',
    kind: 'number',
    read: ({ searchLogDays }) => String(searchLogDays),
    origin: originOf('search_log_days'),
    write: (text) => ({ searchLogDays: number(text) }),
  },
];

/** Settings of videos. */
export const videoRows: readonly SettingRow[] = [
  {
    name: 'ladder',
    kind: 'heights',
    read: ({ videoDefaults }) => videoDefaults.ladder.join(', '),
    origin: videoOrigin('ladder'),
    write: (text) => ({
      videoDefaults: { ladder: text === null ? null : heights.filter((height) => heightsIn(text).includes(height)) },
    }),
  },
  ...(['keepOriginal', 'download', 'thumbnails'] as const).map((name): SettingRow => ({
    name,
    kind: 'flag',
    read: ({ videoDefaults }) => String(videoDefaults[name]),
    origin: videoOrigin(name),
    write: (text) => ({ videoDefaults: { [name]: flag(text) } }),
  })),
];
