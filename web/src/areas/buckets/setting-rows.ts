import { entriesOf } from '../../ui/value-dialog.tsx';
import type { Bucket, BucketChange } from './bucket-state.tsx';

/** A setting of a bucket as the page shows and changes it: as text. */
export interface BucketSetting {
  name:
    | 'visibility'
    | 'linkTtlSeconds'
    | 'ipBinding'
    | 'allowedDomains'
    | 'blockNoReferrer'
    | 'countriesAllow'
    | 'countriesBlock'
    | 'rateLimitKbps'
    | 'maxObjectBytes'
    | 'allowedTypes'
    | 'allowOverwrite'
    | 'edgeTtlSeconds'
    | 'browserCacheControl'
    | 'allowedOrigins'
    | 'allowedMethods'
    | 'allowedHeaders'
    | 'exposeHeaders'
    | 'maxAgeSeconds'
    | 'allowCredentials';
  kind: 'lines' | 'text' | 'number' | 'flag' | 'visibility' | 'methods';
  /** The value in force; empty for none. */
  read: (bucket: Bucket) => string;
  /** The change to a value that was typed; null brings the default back, where `hasDefault`. */
  write: (text: string | null) => BucketChange;
  hasDefault: boolean;
  /** Not a setting of libraries. */
  isForFiles?: boolean;
}

/** The settings of one card. */
export interface SettingGroup {
  name: 'access' | 'uploads' | 'cache' | 'cors';
  rows: readonly BucketSetting[];
}

const number = (text: string | null): number | null => (text === null || text.trim() === '' ? null : Number(text));
const flag = (text: string | null): boolean => text === 'true';
const optional = (value: number | string | null): string => (value === null ? '' : String(value));
const lines = (text: string | null): string[] | null =>
  text === null
    ? null
    : text
        .split(/[\n,]/)
        .map((line) => line.trim())
        .filter((line) => line !== '');
const countries = (text: string | null): string[] | null => lines(text)?.map((code) => code.toUpperCase()) ?? null;

/** A country list of a change. The API answers for codes that are none. */
type Countries = NonNullable<NonNullable<BucketChange['delivery']>['countriesAllow']>;

/** All settings that are one value each, by card. */
export const settingGroups: readonly SettingGroup[] = [
  {
    name: 'access',
    rows: [
      {
        name: 'visibility',
        kind: 'visibility',
        read: ({ visibility }) => visibility,
        write: (text) => ({ visibility: text === 'public' ? 'public' : 'private' }),
        hasDefault: false,
        isForFiles: true,
      },
      {
        name: 'linkTtlSeconds',
        kind: 'number',
        read: ({ delivery }) => String(delivery.linkTtlSeconds),
        write: (text) => ({ delivery: { linkTtlSeconds: number(text) } }),
        hasDefault: true,
      },
      {
        name: 'ipBinding',
        kind: 'flag',
        read: ({ delivery }) => String(delivery.ipBinding),
        write: (text) => ({ delivery: { ipBinding: flag(text) } }),
        hasDefault: false,
      },
      {
        name: 'allowedDomains',
        kind: 'lines',
        read: ({ delivery }) => delivery.allowedDomains.join('\n'),
        write: (text) => ({ delivery: { allowedDomains: lines(text) } }),
        hasDefault: true,
      },
      {
        name: 'blockNoReferrer',
        kind: 'flag',
        read: ({ delivery }) => String(delivery.blockNoReferrer),
        write: (text) => ({ delivery: { blockNoReferrer: flag(text) } }),
        hasDefault: false,
      },
      {
        name: 'countriesAllow',
        kind: 'lines',
        read: ({ delivery }) => delivery.countriesAllow.join('\n'),
        write: (text) => ({ delivery: { countriesAllow: countries(text) as Countries | null } }),
        hasDefault: true,
      },
      {
        name: 'countriesBlock',
        kind: 'lines',
        read: ({ delivery }) => delivery.countriesBlock.join('\n'),
        write: (text) => ({ delivery: { countriesBlock: countries(text) as Countries | null } }),
        hasDefault: true,
      },
      {
        name: 'rateLimitKbps',
        kind: 'number',
        read: ({ delivery }) => optional(delivery.rateLimitKbps),
        write: (text) => ({ delivery: { rateLimitKbps: number(text) } }),
        hasDefault: true,
      },
    ],
  },
  {
    name: 'uploads',
    rows: [
      {
        name: 'maxObjectBytes',
        kind: 'number',
        read: ({ uploadRules }) => optional(uploadRules.maxObjectBytes),
        write: (text) => ({ uploadRules: { maxObjectBytes: number(text) } }),
        hasDefault: true,
      },
      {
        name: 'allowedTypes',
        kind: 'lines',
        read: ({ uploadRules }) => uploadRules.allowedTypes.join('\n'),
        write: (text) => ({ uploadRules: { allowedTypes: lines(text) } }),
        hasDefault: true,
        isForFiles: true,
      },
      {
        name: 'allowOverwrite',
        kind: 'flag',
        read: ({ uploadRules }) => String(uploadRules.allowOverwrite),
        write: (text) => ({ uploadRules: { allowOverwrite: flag(text) } }),
        hasDefault: false,
        isForFiles: true,
      },
    ],
  },
  {
    name: 'cache',
    rows: [
      {
        name: 'edgeTtlSeconds',
        kind: 'number',
        read: ({ cache }) => optional(cache.edgeTtlSeconds),
        write: (text) => ({ cache: { edgeTtlSeconds: number(text) } }),
        hasDefault: true,
      },
      {
        name: 'browserCacheControl',
        kind: 'text',
        read: ({ cache }) => optional(cache.browserCacheControl),
        write: (text) => ({ cache: { browserCacheControl: text } }),
        hasDefault: true,
      },
    ],
  },
  {
    name: 'cors',
    rows: [
      ...(['allowedOrigins', 'allowedHeaders', 'exposeHeaders'] as const).map((name): BucketSetting => ({
        name,
        kind: 'lines',
        read: ({ cors }) => cors[name].join('\n'),
        write: (text) => ({ cors: { [name]: lines(text) } }),
        hasDefault: true,
      })),
      {
        name: 'allowedMethods',
        kind: 'methods',
        read: ({ cors }) => cors.allowedMethods.join(','),
        write: (text) => ({
          cors: {
            allowedMethods:
              text === null ? null : (['GET', 'HEAD'] as const).filter((method) => entriesOf(text).includes(method)),
          },
        }),
        hasDefault: true,
      },
      {
        name: 'maxAgeSeconds',
        kind: 'number',
        read: ({ cors }) => String(cors.maxAgeSeconds),
        write: (text) => ({ cors: { maxAgeSeconds: number(text) } }),
        hasDefault: true,
      },
      {
        name: 'allowCredentials',
        kind: 'flag',
        read: ({ cors }) => String(cors.allowCredentials),
        write: (text) => ({ cors: { allowCredentials: flag(text) } }),
        hasDefault: false,
      },
    ],
  },
];
