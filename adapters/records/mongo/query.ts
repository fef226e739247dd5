import type { Document, Filter as MongoFilter, UpdateFilter } from 'mongodb';
import type { IndexDefinition } from '../../../models/collection.ts';
import type { Change, Condition, Filter, Query } from '../port.ts';
import { checkedPath } from '../paths.ts';
import { ownerField } from '../scoping.ts';
import { keysField, keyText } from './keys.ts';
import { plainForDriver } from './plain.ts';

/** A document as MongoDB keeps it: ours, with the texts of its sparse unique keys beside. */
export interface Kept extends Document {
  _id: string;
}

/** What narrows every filter of a collection: whose its documents are, and which keys are kept as texts. */
export interface Narrowing {
  owner: string | null;
  keyed: readonly IndexDefinition[];
}

/**
 * A filter of the port as MongoDB's, narrowed to an owner. Only operators that compatible servers have are used.
 * Where a sparse unique key is asked for, its text is too: that is what its index leads by.
 */
export function filterOf(filter: Filter, { owner, keyed }: Narrowing): MongoFilter<Kept> {
  const clauses: Document[] = owner === null ? [] : [{ [ownerField]: owner }];
  for (const [path, condition] of Object.entries(filter)) clauses.push(...clausesOf(checkedPath(path), condition));
  const narrowed: Filter = owner === null || ownerField in filter ? filter : { ...filter, [ownerField]: owner };
  return joined([...clauses, ...keyed.flatMap((index) => keyClause(index, narrowed))]);
}

/** The filter of one document by its id, if it also matches. */
export function filterOfOne(id: string, filter: Filter, narrowing: Narrowing): MongoFilter<Kept> {
  return joined([{ _id: id }, filterOf(filter, narrowing)]);
}

/** The filter of a query, with the position after which its page begins. */
export function filterOfQuery(query: Query, narrowing: Narrowing): MongoFilter<Kept> {
  const filter = filterOf(query.filter, narrowing);
  if (query.after === undefined) return filter;
  const sort = query.sort ?? [];
  const first = sort[0];
  const { after } = query;
  if (first === undefined || after.length !== sort.length || sort.some(([, direction]) => direction !== first[1])) {
    throw new Error('a page after a document needs one value for each sort field, all of one direction');
  }
  const past = first[1] === 1 ? '$gt' : '$lt';
  const alternatives = sort.map(([path], i) =>
    joined([
      ...sort.slice(0, i).map(([tied], tie) => ({ [checkedPath(tied)]: after[tie] })),
      { [checkedPath(path)]: { [past]: after[i] } },
    ]),
  );
  // The first sort field bounds the walk of the index; the alternatives sort out the ties.
  return joined([filter, { [first[0]]: { [`${past}e`]: after[0] } }, { $or: alternatives }]);
}

/** A change of the port as MongoDB's update; null if it changes nothing. */
export function updateOf(change: Change): UpdateFilter<Kept> | null {
  const { set = {}, unset = [], increment = {}, push = {}, pullById = {} } = change;
  const parts: [string, Document][] = [
    ['$set', Object.fromEntries(Object.entries(set).map(([path, value]) => [path, plainForDriver(value)]))],
    ['$unset', Object.fromEntries(unset.map((path) => [path, '']))],
    ['$inc', { ...increment }],
    [
      '$push',
      Object.fromEntries(Object.entries(push).map(([path, items]) => [path, { $each: items.map(plainForDriver) }])),
    ],
    ['$pull', Object.fromEntries(Object.entries(pullById).map(([path, ids]) => [path, { id: { $in: [...ids] } }]))],
  ];
  const used = parts.filter(([, fields]) => Object.keys(fields).length > 0);
  return used.length === 0 ? null : Object.fromEntries(used);
}

/** Clauses joined by AND: side by side where they can be, since simple servers find ids and unique keys only there. */
export function joined(clauses: readonly Document[]): MongoFilter<Kept> {
  const names = clauses.flatMap((clause) => Object.keys(clause));
  return new Set(names).size === names.length
    ? Object.fromEntries(clauses.flatMap((clause) => Object.entries(clause)))
    : { $and: [...clauses] };
}

function keyClause({ name, fields }: IndexDefinition, filter: Filter): Document[] {
  const last = filter[fields.at(-1) ?? ''];
  const before = fields.slice(0, -1).map((path) => filter[path]);
  if (!before.every(isFixed)) return [];
  if (isFixed(last)) return [{ [`${keysField}.${name}`]: keyText([...before, last]) }];
  if (typeof last !== 'object' || last?.$in === undefined || !last.$in.every(isFixed)) return [];
  return [{ [`${keysField}.${name}`]: { $in: last.$in.map((value) => keyText([...before, value])) } }];
}

function isFixed(condition: Condition | undefined): condition is string | number | boolean {
  return condition !== undefined && condition !== null && typeof condition !== 'object';
}

/** Conditions that the server spells as we do. */
const comparisons: ReadonlySet<string> = new Set(['$in', '$ne', '$gt', '$gte', '$lt', '$lte']);

function clausesOf(path: string, condition: Condition): Document[] {
  if (condition === null || typeof condition !== 'object') return [{ [path]: condition }];
  const clauses: Document[] = [];
  for (const [operator, operand] of Object.entries(condition)) {
    if (operand === undefined) continue;
    if (operator === '$exists')
      clauses.push(operand === true ? { [path]: { $exists: true, $ne: null } } : { [path]: null });
    else if (operator === '$contains') clauses.push({ [path]: { $regex: anyCase(String(operand)) } });
    else if (operator === '$has') clauses.push({ [path]: { $elemMatch: { $eq: operand } } });
    else if (operator === '$hasAny') clauses.push({ [path]: { $elemMatch: { $in: operand } } });
    else if (comparisons.has(operator)) clauses.push({ [path]: { [operator]: operand } });
    else throw new Error(`${operator} is no condition`);
  }
  return clauses;
}

/**
 * A pattern for a text in upper or lower case, spelled out: servers differ in what their own switch does beyond ASCII.
 */
function anyCase(text: string): string {
  return [...text]
    .map((character) => {
      const forms = [...new Set([character, character.toLowerCase(), character.toUpperCase()])];
      return forms.length === 1 ? escaped(character) : `(?:${forms.map(escaped).join('|')})`;
    })
    .join('');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/-]/g, '\\$&');
}
