import { defineCollection } from './collection.ts';

/** The accepted items of an import. Refused items are answered immediately and not stored. */
export interface ImportRecord {
  _id: string;
  organizationId: string;
  items: { assetId: string; jobId: string }[];
  createdAt: number;
}

/** Imports, newest first within an organization. */
export const imports = defineCollection<ImportRecord>({
  name: 'imports',
  owner: 'organization',
  indexes: [{ name: 'created', fields: ['createdAt'] }],
});
