import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { wholeDescription } from '../services/gateway/description.ts';
import { projectRoot } from './setup/paths.mjs';

/*
 * Writes the types of the dashboard's client from the description of the API. They are only needed to check the
 * dashboard's types: the build leaves types out, and version control does too.
 */

const target = join(projectRoot, 'web/src/api/schema.d.ts');
// The client adds the header of the organization to each request, so that no call has to name it.
const description = JSON.stringify(wholeDescription(), (_name, value: unknown) =>
  isOrganizationHeader(value) ? { ...value, required: false } : value,
);
mkdirSync(dirname(target), { recursive: true });
writeFileSync(
  target,
  astToString(await openapiTypescript(description, { alphabetize: true, emptyObjectsUnknown: true })),
);

function isOrganizationHeader(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    'in' in value &&
    'name' in value &&
    value.name === 'X-Organization-Id'
  );
}
