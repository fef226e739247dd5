import {
  mapSettings,
  settings,
  videoSettings,
  type OwnOf,
  type SettingsChange,
  type VideoDefaults,
} from '../settings.ts';
import { answer, boolean, described, literals, orNull, texts, time } from './answers/answer.ts';
import { nullable, object, optional, type Described, type Field, type Schema } from './schema.ts';

type Changes<C> = { [K in keyof C]-?: Field<Exclude<C[K], undefined>, 'optional'> };
type Answers<T> = { [K in keyof T]: Described<T[K]> };

const changeable = ({ schema }: { schema: Schema<unknown> }): Field<unknown, 'optional'> => optional(nullable(schema));

/** Body of PUT and PATCH /settings. */
export const settingsChange: Schema<SettingsChange> = object({
  ...mapSettings<Changes<Omit<SettingsChange, 'videoDefaults'>>, { schema: Schema<unknown> }>(settings, changeable),
  videoDefaults: optional(
    nullable(
      object(mapSettings<Changes<OwnOf<VideoDefaults>>, { schema: Schema<unknown> }>(videoSettings, changeable)),
    ),
  ),
});

const { callbackSecret: _neverShown, ...shown } = settings;
type Shown = { [K in keyof typeof shown]: (typeof shown)[K]['answer'] };

const video = answer(
  'VideoSettings',
  mapSettings<Answers<VideoDefaults>, { answer: Described<unknown> }>(videoSettings, (row) => row.answer),
);
const ownVideo = answer(
  'OwnVideoSettings',
  mapSettings<Answers<OwnOf<VideoDefaults>>, { answer: Described<unknown> }>(videoSettings, (row) =>
    orNull(row.answer),
  ),
);
const videoOrigin = literals('organization', 'parent', 'default');
const videoOrigins = answer(
  'VideoSettingsOrigins',
  mapSettings<{ [K in keyof VideoDefaults]: typeof videoOrigin }, unknown>(videoSettings, () => videoOrigin),
);

const origin = {
  type: 'string',
  description: "The organization's id for its own value, `owner` for its parent's, `deployment` where neither has one.",
};
const originNames = Object.values(settings).map((row) => row.origin);
const origins = described<{ [name: string]: string }>({
  title: 'SettingsOrigins',
  type: 'object',
  properties: Object.fromEntries(originNames.map((name) => [name, origin])),
  required: originNames,
});

/** An organization's settings. */
export const settingsAnswer = answer('Settings', {
  ...mapSettings<Shown, { answer: Described<unknown> }>(shown, (row) => row.answer),
  videoDefaults: video,
  /** Whether an own or inherited callback secret is set. */
  callbackSecretSet: boolean,
  /** Hosts that the deployment allows for sources; empty for any. */
  allowedHostCeiling: texts,
  /** Whether the organization has own settings. */
  configured: boolean,
  updatedAt: orNull(time),
  origins,
  videoDefaultsOrigins: videoOrigins,
  videoDefaultsOwn: ownVideo,
  videoPlatformDefaults: video,
});
