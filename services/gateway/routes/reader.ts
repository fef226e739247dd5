import { principals } from '../../../models/schemas/assets.ts';
import { filled } from '../../../models/schemas/schema.ts';
import { flag } from '../../../models/schemas/values.ts';

/** Query parameters of a read as somebody: with `asReader`, or any principals, what they may not see is not found. */
export const asReader = { asReader: filled(flag, false), principals: filled(principals(1000), null) };
