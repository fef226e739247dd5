import { defineCollection } from './collection.ts';

/** What an import accepted. Items that were refused had their answer at once and are not kept. */
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
