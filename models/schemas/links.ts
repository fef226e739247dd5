import { invalid } from '../errors.ts';
import { isTagName, maxTagBytes, maxTags, tagValueFault, type LinkTags } from '../links/tags.ts';
import { displayName } from './faults.ts';
import { customSchema, isObject, object, optional, required, schemaOf, type Infer, type Schema } from './schema.ts';
import { text, uuid } from './values.ts';

/** Bounds of `ttlSeconds`. */
export const ttlBounds = { min: 60, max: 604_800 } as const;

const tags = customSchema<LinkTags>(
  {
    type: 'object',
    maxProperties: maxTags,
    propertyNames: { pattern: '^[a-z][a-z0-9_]{0,31}$' },
    additionalProperties: {
      type: 'string',
      minLength: 1,
      maxLength: maxTagBytes,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f&=?#]*$',
      description: `At most ${maxTagBytes} bytes of UTF-8.`,
    },
  },
  (given) => {
    if (!isObject(given)) throw invalid([], 'must be an object');
    const entries = Object.entries(given);
    if (entries.length > maxTags) throw invalid([], `must have at most ${maxTags} entries`);
    return Object.fromEntries(entries.map(([name, value]) => [name, checkedTag(name, value)]));
  },
);

function checkedTag(name: string, value: unknown): string {
  if (!isTagName(name))
    throw invalid([displayName(name)], '(as a name) must be a lower-case letter, then up to 31 of a-z 0-9 _');
  if (typeof value !== 'string') throw invalid([name], 'must be a text');
  const fault = tagValueFault(value);
  if (fault !== null) throw invalid([name], fault);
  return value;
}

/** A value that public buckets do not look at; for private ones the actor checks it. */
function uninspected(description: string): Schema<unknown> {
  return schemaOf<unknown>({ description }, { type: 'any', nullable: true });
}

/** Body of POST /sign. */
export const signBody = object(
  {
    bucketId: required(uuid),
    key: optional(text(1, 1024)),
    objectId: optional(uuid),
    videoId: optional(uuid),
    ttlSeconds: optional(
      uninspected(
        `${ttlBounds.min} to ${ttlBounds.max}; without it the bucket's default. Not looked at on a public bucket.`,
      ),
    ),
    ip: optional(
      uninspected(
        'IPv4 address that the link is bound to: required where the bucket binds, else refused. Not looked at on a public bucket.',
      ),
    ),
    hostname: optional(text(1, 1000)),
    tags: optional(tags),
  },
  [
    {
      after: 'videoId',
      check: ({ key, objectId, videoId }) => {
        if ([key, objectId, videoId].filter((named) => named !== undefined).length !== 1)
          throw invalid([], 'must have exactly one of key, objectId and videoId');
      },
      json: { oneOf: [{ required: ['key'] }, { required: ['objectId'] }, { required: ['videoId'] }] },
    },
  ],
);

/** What is to be signed. */
export type SignRequest = Infer<typeof signBody>;
