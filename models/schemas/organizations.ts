import { organizationMetadata } from './metadata.ts';
import { invalid } from '../errors.ts';
import {
  type Infer,
  withDefault,
  optional,
  nullable,
  object,
  required,
  schemaOf,
  withStep,
  type Schema,
} from './schema.ts';
import { boolean, lowered, text } from './values.ts';

const name = text(1, 255);
/**
 * Characters that an address holds only between quotes (RFC 5322, 3.2.3). Without them a list of addresses, or an
 * address with a display name, is refused.
 */
const notInAddress = '\\s@<>()\\[\\],;:\\\\"\\u0000';
const addressSource = `^[^${notInAddress}]{1,64}@[^.${notInAddress}]{1,63}(\\.[^.${notInAddress}]{1,63}){0,31}$`;
/** The form of an e-mail address. */
export const addressForm = { source: addressSource, expected: 'an e-mail address' };
const email = nullable(text(3, 320, { source: addressSource, expected: 'an e-mail address or null' }));
const description = nullable(text(0, 2000));
const metadata = nullable(organizationMetadata);

/** Body of POST /sub-organizations. */
export const newSubOrganization = object({
  name: required(name),
  contact_email: optional(email),
  description: optional(description),
  metadata: optional(metadata),
});

const change = object({
  name: optional(name),
  contact_email: optional(email),
  description: optional(description),
  metadata: optional(metadata),
  is_active: optional(boolean),
});

/** Body of PUT /sub-organizations/{id}: at least one field; absent fields are not changed. */
export const subOrganizationChange: Schema<Infer<typeof change>> = schemaOf(
  { ...change.json, minProperties: 1 },
  withStep(change.rule, (fields: Infer<typeof change>) => {
    if (Object.keys(fields).length === 0) throw invalid([], 'must hold at least one field that can be changed');
    return fields;
  }),
);

/** Query of GET /account-audit. */
export const auditQuery = {
  limit: withDefault(lowered(1, 100), 50),
  before: withDefault(text(1, 100, { source: '^[0-9]+$', expected: 'the digits of a previous `next`' }), null),
};
