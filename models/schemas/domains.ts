import { object, required, withDefault, type Infer, type Shape } from './schema.ts';
import { integer, text, uuid } from './values.ts';

/** Body of POST /domains. Whether `hostname` is a host name is checked where it is added. */
export const newDomain = object({ bucketId: required(uuid), hostname: required(text(1, 1000)) });

/** Query of GET /domains. */
export const domainPage = {
  bucketId: withDefault(uuid, null),
  cursor: withDefault(text(1, 1000), null),
  limit: withDefault(integer(1, 100), 100),
};

/** The fields of a new domain. */
export type NewDomain = Infer<typeof newDomain>;
/** Which domains to list. */
export type DomainPage = Shape<typeof domainPage>;
