import type { CollectionDefinition, StoredRecord } from '../../models/collection.ts';
import type { Scope } from '../../models/scope.ts';
import { valueAt } from './paths.ts';

/** The field that says whose a document is. */
export const ownerField = 'organizationId';

/**
 * The organization to which a collection is narrowed, null for the deployment's own work.
 * @throws Error if an organization's scope meets a collection whose documents belong to the deployment.
 */
export function ownerOf(definition: CollectionDefinition<StoredRecord>, scope: Scope): string | null {
  if (scope.kind === 'system') return null;
  if (definition.owner !== 'organization')
    throw new Error(`${definition.name} belongs to the deployment and is not reached with an organization's scope`);
  return scope.organizationId;
}

/**
 * Checks that a document may be written through a scope.
 * @throws Error for another organization's document, and for one without an id or an owner: programming errors.
 */
export function checkDocument(
  definition: CollectionDefinition<StoredRecord>,
  owner: string | null,
  document: StoredRecord,
): void {
  if (typeof document._id !== 'string' || document._id === '')
    throw new Error(`${definition.name}: a document needs an id`);
  if (definition.owner !== 'organization') return;
  const organization = valueAt(document, ownerField);
  if (typeof organization !== 'string' || organization === '')
    throw new Error(`${definition.name}: a document needs an ${ownerField}`);
  if (owner !== null && organization !== owner)
    throw new Error(`${definition.name}: the document belongs to another organization`);
}
