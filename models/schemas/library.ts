import { kind, principals } from './assets.ts';
import { withDefault } from './schema.ts';
import { boolean, dateTime, integer, oneOf, text, uuid } from './values.ts';

/** Limit of the offset of a page: the store visits each skipped item. */
const maxOffset = 1_000_000;

/**
 * Query parameters of a read as a reader: with `asReader` or principals, files that the reader may not see are not
 * found.
 */
export const asReader = { asReader: withDefault(boolean, false), principals: withDefault(principals(1000), null) };

/** Query of GET /assets. */
export const assetPage = { limit: withDefault(integer(1, 100), 20), offset: withDefault(integer(0, maxOffset), 0) };

/** Query of GET /collections. */
export const collectionPage = {
  limit: withDefault(integer(1, 200), 50),
  offset: withDefault(integer(0, maxOffset), 0),
};

/** Query of GET /assets/{assetId}/related. */
export const relatedQuery = {
  limit: withDefault(integer(1, 50), 10),
  principals: withDefault(principals(1000), null),
};

/** Query of GET /activity. */
export const activityQuery = {
  limit: withDefault(integer(1, 100), 20),
  offset: withDefault(integer(0, maxOffset), 0),
  connectorId: withDefault(uuid, null),
  bucketId: withDefault(uuid, null),
  kind: withDefault(kind, null),
  state: withDefault(text(0, 40), null),
  q: withDefault(text(0, 200), null),
  createdAfter: withDefault(dateTime, null),
  createdBefore: withDefault(dateTime, null),
  order: withDefault(oneOf('created', 'filename'), 'created' as const),
  cursor: withDefault(text(1, 4400), null),
  ...asReader,
};
