import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Query } from '../port.ts';
import { findsOne } from './direct.ts';
import { fieldExpression, tableName, type Sql } from './sql.ts';

/**
 * Queries that find one document at most by texts, as most requests of the API do: by a job's id, a key's hash, an
 * external id. Their statements are made once for each set of fields, because making one takes longer than running it.
 */
export class PointReads {
  readonly #definition: CollectionDefinition<StoredRecord>;
  readonly #columns: ReadonlySet<string>;
  /** By the paths of the filter; null for a form that may find several. */
  readonly #texts = new Map<string, string | null>();

  /** @param columns those of the collection */
  constructor(definition: CollectionDefinition<StoredRecord>, columns: ReadonlySet<string>) {
    this.#definition = definition;
    this.#columns = columns;
  }

  /** The statement of a query, which answers the column `doc`; null for a query of another form. */
  of(query: Query): Sql | null {
    const { filter, after, skip, limit } = query;
    if (after !== undefined || skip !== undefined || limit < 1) return null;
    let form = '';
    const values: string[] = [];
    for (const [path, condition] of Object.entries(filter)) {
      if (typeof condition !== 'string') return null;
      form = form === '' ? path : `${form} ${path}`;
      values.push(condition);
    }
    const known = this.#texts.get(form);
    const text = known === undefined ? this.#learn(form, query) : known;
    return text === null ? null : { text, values };
  }

  #learn(form: string, query: Query): string | null {
    const conditions = Object.keys(query.filter).map((path) => `${fieldExpression(path, this.#columns)} = ?`);
    const text = findsOne(this.#definition, query) ? `SELECT doc FROM ${tableName(this.#definition)} WHERE ${conditions.join(' AND ')}` : null;
    this.#texts.set(form, text);
    return text;
  }
}
