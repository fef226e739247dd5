import { defineCollection } from '../../models/collection.ts';
import type { Collection, Records } from './port.ts';

/** A document of the suite. */
export interface Thing {
  _id: string;
  organizationId: string;
  name: string;
  key?: string;
  number?: number | null;
  flag?: boolean;
  tags?: (string | number | boolean)[];
  list?: { id: string; n: number }[];
  inner?: { count?: number; text?: string; deep?: { more?: string } } | null;
}

/** The suite's collection: a unique sparse index, a unique plain one, one for pages and one of fragments. */
export const things = defineCollection<Thing>({
  name: 'things',
  owner: 'organization',
  substrings: ['inner.text'],
  indexes: [
    { name: 'key', fields: ['organizationId', 'key'], unique: true, sparse: true },
    { name: 'name', fields: ['name'], unique: true },
    { name: 'page', fields: ['organizationId', 'number', '_id'] },
  ],
});

/** What the groups of the suite are given: an empty collection before each test. */
export interface Ground {
  records(): Records;
  all(): Collection<Thing>;
  of(organizationId: string): Collection<Thing>;
}

/** How often the slow parts of the suite are repeated; a server that is slow by nature gets fewer rounds. */
export interface Rounds {
  /** Runs of the isolation property. */
  isolation: number;
  /** Writes that are read back at once. */
  readBack: number;
}

/** A document of organization `o`. */
export function thing(id: string, rest: Partial<Thing> = {}): Thing {
  return { _id: id, organizationId: 'o', name: `name of ${id}`, ...rest };
}
