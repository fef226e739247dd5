import type { SearchFilter } from '../passage.ts';
import { kind, principals } from './assets.ts';
import { metadataFilter } from './metadata.ts';
import { filled, left, list, named, object, required, type Schema } from './schema.ts';
import { dateTime, mapped, text, uuid, whole, word } from './values.ts';

/** What a search may be narrowed by, in a body. */
const searchFilter: Schema<SearchFilter> = named('SearchFilter', object({
  collections: left(list(text(1, 512), 100)),
  metadata: left(metadataFilter),
  externalIds: left(list(text(1, 512), 100)),
  assetIds: left(list(uuid, 100)),
  createdAfter: left(dateTime),
  createdBefore: left(dateTime),
  speaker: left(text(1, 512)),
  language: left(text(1, 16)),
}));

/** Body of POST /search. `kind` stands beside the filter by contract, and inside it for the searcher. */
export const searchBody = mapped(
  object({
    query: required(text(1, 2000)),
    kind: left(kind),
    limit: filled(whole(1, 100), 20),
    offset: filled(whole(0, 200), 0),
    group: filled(word('file'), null),
    filter: left(searchFilter),
    principals: filled(principals(1000), null),
  }),
  ({ kind: only, filter = {}, ...rest }) => ({ ...rest, filter: only === undefined ? filter : { ...filter, kind: only } }),
);
