import {
  annotated,
  answer,
  boolean,
  count,
  id,
  literals,
  optionalAnswer,
  orNull,
  text,
  texts,
  time,
} from './answer.ts';

/** What clients need to sign links of a bucket themselves. */
export const signingProfileAnswer = answer('SigningProfile', {
  bucketId: id,
  scheme: literals('pl1', 'ps2'),
  keyId: annotated(text, { description: '8 characters; `kid` of links.' }),
  key: annotated(text, { description: 'Key of the HMAC-SHA256: 32 bytes in base64url without padding.' }),
  hostname: text,
  hostnames: annotated(texts, { description: 'Hostnames that links work on, the default one first.' }),
  defaultTtlSeconds: count,
  ipBinding: boolean,
  directoryScheme: orNull(literals('pl1d', 'ps3')),
  pathTokens: boolean,
  tagsEnabled: boolean,
});

/** An address that a file is read at; with `videoId` those of a video's files. */
export const linkAnswer = answer('Link', {
  url: annotated(text, { description: 'The file, or the master playlist of the video.' }),
  nativeUrl: optionalAnswer(
    annotated(orNull(text), {
      description: 'The master playlist with the token in its path, for players that resolve addresses themselves.',
    }),
  ),
  expiresAt: annotated(orNull(time), { description: 'Null where the bucket is public: the address does not expire.' }),
  posterUrl: optionalAnswer(annotated(orNull(text), { description: 'Null where the video has no poster.' })),
  thumbnailsUrl: optionalAnswer(annotated(orNull(text), { description: 'WebVTT; null where the video has none.' })),
  downloadUrl: optionalAnswer(annotated(orNull(text), { description: 'MP4; null where the video has none.' })),
});
