import { invalid } from '../errors.ts';
import { customSchema, list, object, optional, withDefault, type Infer, type Shape } from './schema.ts';
import { integer, text, uuid } from './values.ts';

const yes = customSchema<true>({ const: true }, (given) => {
  if (given !== true) throw invalid([], 'must be true');
  return given;
});

/** Body of POST /buckets/{bucketId}/purges. What the addresses and prefixes may be is checked where they are read. */
export const newPurge = object(
  {
    urls: optional(list(text(1, 4096), 100, 1)),
    prefixes: optional(list(text(1, 1024), 20, 1)),
    all: optional(yes),
  },
  [
    {
      after: 'all',
      check: ({ urls, prefixes, all }) => {
        if ([urls, prefixes, all].filter((named) => named !== undefined).length !== 1)
          throw invalid([], 'must have exactly one of urls, prefixes and all');
      },
      json: { oneOf: [{ required: ['urls'] }, { required: ['prefixes'] }, { required: ['all'] }] },
    },
  ],
);

/** Query of GET /purges. */
export const purgePage = {
  bucketId: withDefault(uuid, null),
  cursor: withDefault(text(1, 1000), null),
  limit: withDefault(integer(1, 200), 50),
};

/** What is to be purged. */
export type NewPurge = Infer<typeof newPurge>;
/** Which purges to list. */
export type PurgePage = Shape<typeof purgePage>;
