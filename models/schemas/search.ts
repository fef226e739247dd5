import { kind, principals } from './assets.ts';
import { metadataFilter } from './metadata.ts';
import { withDefault, optional, list, named, object, required } from './schema.ts';
import { dateTime, mapped, text, uuid, integer, oneOf } from './values.ts';

const filterFields = {
  collections: optional(list(text(1, 512), 100)),
  metadata: optional(metadataFilter),
  externalIds: optional(list(text(1, 512), 100)),
  assetIds: optional(list(uuid, 100)),
  createdAfter: optional(dateTime),
  createdBefore: optional(dateTime),
  speaker: optional(text(1, 512)),
  language: optional(text(1, 16)),
};

/** The filter of a search in a body. */
export const searchFilter = named('SearchFilter', object(filterFields));
/** The filter as the searcher receives it: with the kind, which the body holds outside of its filter. */
export const wholeFilter = object({ ...filterFields, kind: optional(kind) });
const request = {
  query: required(text(1, 2000)),
  limit: withDefault(integer(1, 100), 20),
  offset: withDefault(integer(0, 200), 0),
  group: withDefault(oneOf('file'), null),
};

/** A search as the searcher receives it. */
const searchRequest = object({
  ...request,
  filter: required(wholeFilter),
  /** Null: not sent; only open files are searched. */
  principals: withDefault(principals(1000), null),
});

/** Body of POST /search. By contract `kind` is a field of the body; the searcher receives it as part of the filter. */
export const searchBody = mapped(
  object({
    query: request.query,
    kind: optional(kind),
    limit: request.limit,
    offset: request.offset,
    group: request.group,
    filter: optional(searchFilter),
    principals: withDefault(principals(1000), null),
  }),
  ({ kind: only, filter = {}, ...rest }) => ({
    ...rest,
    filter: only === undefined ? filter : { ...filter, kind: only },
  }),
  searchRequest,
);
