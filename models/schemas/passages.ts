import { principals } from './assets.ts';
import { asReader } from './library.ts';
import { withDefault, required } from './schema.ts';
import { integer, text } from './values.ts';

const uuidForm = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** An id of a passage, as `passageIdOf` makes it. */
export const passageId = text(1, 60, {
  source: `^${uuidForm}\\.[1-9][0-9]{0,8}\\.(0|[1-9][0-9]{0,8})$`,
  expected: 'the passageId of a search result',
});

/** A reading of a passage: with so many passages before and after it. */
export const passageRead = {
  passageId: required(passageId),
  before: withDefault(integer(0, 10), 1),
  after: withDefault(integer(0, 10), 1),
  /** Null: open files only. */
  principals: withDefault(principals(1000), null),
};

/** Query of GET /assets/{assetId}/passages. */
export const passagesQuery = {
  /** Place of the first one in the file, from 0. */
  from: withDefault(integer(0, 999_999_999), 0),
  limit: withDefault(integer(1, 100), 50),
  ...asReader,
};
