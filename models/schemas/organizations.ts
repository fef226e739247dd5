import type { SubOrganizationChange } from '../api.ts';
import { organizationMetadata } from './metadata.ts';
import { invalid } from '../errors.ts';
import { left, nullable, object, required, type Schema } from './schema.ts';
import { flag, text } from './values.ts';

const name = text(1, 255);
/** What stands in an address between quotes at most (RFC 5322, 3.2.3): a list of addresses, or a name beside one, is none. */
const notInAddress = '\\s@<>()\\[\\],;:\\\\"\\u0000';
const email = nullable(text(3, 320, { source: `^[^${notInAddress}]{1,64}@[^.${notInAddress}]{1,63}(\\.[^.${notInAddress}]{1,63}){0,31}$`, expected: 'an e-mail address or null' }));
const description = nullable(text(0, 2000));
const metadata = nullable(organizationMetadata);

/** Body of POST /sub-organizations. */
export const newSubOrganization: Schema<SubOrganizationChange> = object({
  name: required(name),
  contact_email: left(email),
  description: left(description),
  metadata: left(metadata),
});

const change = object({ name: left(name), contact_email: left(email), description: left(description), metadata: left(metadata), is_active: left(flag) });

/** Body of PUT /sub-organizations/{id}: at least one field; those left out stay as they are. */
export const subOrganizationChange: Schema<SubOrganizationChange> = {
  json: { ...change.json, minProperties: 1 },
  check: (value) => {
    const fields = change.check(value);
    if (Object.keys(fields).length === 0) throw invalid([], 'must hold at least one field that can be changed');
    return fields;
  },
};
