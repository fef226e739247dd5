import type { SQLInputValue } from 'node:sqlite';
import type { FileRetrieval, QueryVector, Retrieval } from '../port.ts';
import { collectionMark, metadataMarks, primaryLanguage, principalMark } from '../tokens.ts';
import { ordinalSpan } from './connection.ts';
import { runStates } from './word-runs.ts';

/** SQL text with the values of its parameters in order. */
export interface Statement {
  sql: string;
  values: SQLInputValue[];
}

/**
 * The files with one of some marks, for all revisions or for few. Of all files the list is made once per statement; of few
 * each is looked up.
 */
const carriers = {
  all: '(select file from marks where organization = ? and mark in (select unhex(value) from json_each(?)))',
  few: '(select file from marks where organization = ? and mark in (select unhex(value) from json_each(?)) and file = l.file)',
};

/**
 * The restriction of each leg: the organization's published revisions of present files that the principals and the
 * filter permit. `l` is the published revision. The lists of files are computed once per statement; the plus sign keeps
 * the planner from searching the index of files for each of them.
 */
function restriction(
  organization: number,
  retrieval: Pick<Retrieval, 'principals' | 'filter' | 'exceptAsset'>,
  of: 'all' | 'few' = 'all',
): Statement {
  const { principals, filter, exceptAsset } = retrieval;
  const parts = ['l.organization = ?', 'l.present = 1'];
  const values: SQLInputValue[] = [organization];
  function carries(marks: readonly string[]): void {
    values.push(organization, JSON.stringify(marks));
  }
  if (principals === null || principals.length === 0) {
    parts.push('l.open = 1');
  } else {
    parts.push(`(l.open = 1 or l.file in ${carriers[of]})`);
    carries(principals.map(principalMark));
  }
  if (exceptAsset !== undefined) {
    parts.push('l.asset_id <> ?');
    values.push(exceptAsset);
  }
  if (filter.kind !== undefined) {
    parts.push('l.kind = ?');
    values.push(filter.kind);
  }
  if (filter.createdAfter !== undefined) {
    parts.push('l.created_at >= ?');
    values.push(filter.createdAfter);
  }
  if (filter.createdBefore !== undefined) {
    parts.push('l.created_at < ?');
    values.push(filter.createdBefore);
  }
  for (const [column, wanted] of [
    ['asset_id', filter.assetIds],
    ['external_id', filter.externalIds],
  ] as const) {
    if (wanted === undefined) continue;
    parts.push(
      `l.file in (select number from files where organization = ? and ${column} in (select value from json_each(?)))`,
    );
    values.push(organization, JSON.stringify(wanted));
  }
  if (filter.collections !== undefined) {
    parts.push(`+l.file in ${carriers[of]}`);
    carries(filter.collections.map(collectionMark));
  }
  for (const [key, value] of Object.entries(filter.metadata ?? {})) {
    parts.push(`+l.file in ${carriers[of]}`);
    carries(metadataMarks(key, value));
  }
  return { sql: parts.join(' and '), values };
}

/** The part of the filter that applies to single passages: `p` is the passage. */
function passageRestriction(retrieval: Pick<Retrieval, 'filter'>, id: string): { join: string } & Statement {
  const { speaker, language } = retrieval.filter;
  if (speaker === undefined && language === undefined) return { join: '', sql: '', values: [] };
  const values: SQLInputValue[] = [];
  let sql = '';
  if (speaker !== undefined) {
    sql += ' and p.speaker = ?';
    values.push(speaker);
  }
  if (language !== undefined) {
    sql += ' and p.primary_language = ?';
    values.push(primaryLanguage(language));
  }
  return { join: ` cross join passages p on p.id = ${id}`, sql, values };
}

/** Revisions with further vectors of a model; parameters are the organization and the model. */
const withOthers = '(select number from other_models where organization = ? and model = ?)';

/**
 * Restricts revisions, and then their vectors, to those of a model; parameters are the model, the organization, the
 * model, and then the model.
 */
const ofModel = {
  revision: `(l.model = ? or l.number in ${withOthers})`,
  vector: 'coalesce(v.model, l.model) = ?',
};

/** Those of some passages that a filter by speaker or language permits; null if the filter has neither. */
export function permittedPassages(retrieval: Pick<Retrieval, 'filter'>, ids: readonly number[]): Statement | null {
  const passage = passageRestriction(retrieval, 'wanted.value');
  if (passage.join === '') return null;
  return {
    sql: `select wanted.value from json_each(?) wanted${passage.join} where true${passage.sql} order by wanted.key`,
    values: [JSON.stringify(ids), ...passage.values],
  };
}

/**
 * The postings of a stem in blocks: the block, and ids of the first and the last passage. Parameters are the stem and
 * the organization. `cross join` fixes the order: there are few runs.
 */
export const postingsSql = `select p.block, p.first, p.last from runs r cross join postings p on p.run = r.number and p.stem = ?
  where r.organization = ? and r.state = ${runStates.complete}`;

/** The blocks of a stem in the runs that have no bounds of them. Parameters as before. */
export const unboundedSql = `select p.block from runs r cross join postings p on p.run = r.number and p.stem = ?1
  where r.organization = ?2 and r.state = ${runStates.complete} and not exists (select 1 from block_bounds b where b.run = r.number and b.stem = ?1)`;

/** One block; parameters are its key: run, stem and first passage. */
export const blockSql = 'select block from postings where run = ? and stem = ? and first = ?';

/** The bounds of a stem's blocks in the other runs, with the number of the run. Parameters as before. */
export const boundsSql = `select b.run, b.blocks from runs r cross join block_bounds b on b.run = r.number and b.stem = ?
  where r.organization = ? and r.state = ${runStates.complete}`;

/**
 * A vector leg: an exact scan over the vectors of the permitted passages, nearest first by the cosine distance of
 * sqlite-vec.
 */
export function meaningLeg(organization: number, retrieval: Retrieval, { vector, model }: QueryVector): Statement {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  const restricted = restriction(organization, retrieval);
  const passage = passageRestriction(retrieval, 'v.id');
  return {
    sql: `select v.id as id, vec_distance_cosine(v.vector, ?) as distance
      from live l cross join vectors v on v.id >= l.number * ${ordinalSpan} and v.id < l.number * ${ordinalSpan} + l.count${passage.join}
      where ${restricted.sql} and ${ofModel.revision} and ${ofModel.vector} and length(v.vector) = ?${passage.sql}
      order by distance, v.id limit ?`,
    values: [
      bytes,
      ...restricted.values,
      ...[model, organization, model],
      model,
      bytes.length,
      ...passage.values,
      retrieval.limit,
    ],
  };
}

/** Which vectors of a revision have the search's model: none, those of its own model, or further ones. */
export const comparable = { none: 0, own: 1, further: 2 } as const;

/** Columns of revisions as one text each, as JSON: their numbers, passages, and what is comparable (`comparable`). */
const inColumns = (further: string): string =>
  `json_group_array(l.number), json_group_array(l.count), json_group_array(case when l.model = ? then ${comparable.own} when ${further} then ${comparable.further} else ${comparable.none} end)`;

/**
 * The revisions that a search may read, unordered, in one row of columns. A filter by speaker or language is left out.
 */
export function permittedRevisions(organization: number, retrieval: Retrieval, model: string | null): Statement {
  const restricted = restriction(organization, retrieval);
  return {
    sql: `select ${inColumns(`l.number in ${withOthers}`)} from live l where ${restricted.sql}`,
    values: [model, organization, model, ...restricted.values],
  };
}

/** Those of some revisions that a search may read, as `permittedRevisions` has them. */
export function permittedAmong(
  organization: number,
  retrieval: Retrieval,
  model: string | null,
  numbers: readonly number[],
): Statement {
  const restricted = restriction(organization, retrieval, 'few');
  const further = 'exists (select 1 from other_models where organization = ? and model = ? and number = l.number)';
  return {
    sql: `select ${inColumns(further)} from json_each(?) wanted cross join live l on l.organization = ? and l.number = wanted.value where ${restricted.sql}`,
    values: [model, organization, model, JSON.stringify(numbers), organization, ...restricted.values],
  };
}

/** Whether a filter restricts passages and not only files. */
export function restrictsPassages({ filter }: Pick<Retrieval, 'filter'>): boolean {
  return filter.speaker !== undefined || filter.language !== undefined;
}

/**
 * The revisions whose nearest passages are nearest to the vector. Rows are adjacent by revision, so the groups need no
 * sorting; the other columns are those of the row with the minimum distance
 * (https://sqlite.org/lang_select.html#bareagg).
 */
export function nearestFilesOf(organization: number, retrieval: FileRetrieval): Statement {
  const { vector, embeddingModel } = retrieval;
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  const restricted = restriction(organization, retrieval);
  const passage = passageRestriction(retrieval, 'v.id');
  return {
    sql: `select n.asset_id as asset_id, n.revision as revision, n.id % ${ordinalSpan} as ordinal, f.attributes_version as attributes_version, 1 - n.distance as cosine
      from (select l.asset_id as asset_id, l.revision as revision, l.file as file, v.id as id, min(vec_distance_cosine(v.vector, ?)) as distance
        from live l cross join vectors v on v.id >= l.number * ${ordinalSpan} and v.id < l.number * ${ordinalSpan} + l.count${passage.join}
        where ${restricted.sql} and ${ofModel.revision} and ${ofModel.vector} and length(v.vector) = ?${passage.sql}
        group by l.number order by distance, l.asset_id, l.revision limit ?) n join files f on f.number = n.file
      order by n.distance, n.asset_id, n.revision`,
    values: [
      bytes,
      ...restricted.values,
      ...[embeddingModel, organization, embeddingModel],
      embeddingModel,
      bytes.length,
      ...passage.values,
      retrieval.limit,
    ],
  };
}

/** The fields of passages that grading needs; the parameter is their ids as a JSON array. */
export const candidateSql = `
  select p.id as id, f.asset_id as asset_id, r.revision as revision, f.attributes_version as attributes_version, p.length as length,
    p.analysed_as as analysed_as, p.stems as stems
  from json_each(?) wanted cross join passages p on p.id = wanted.value
    cross join revisions r on r.number = p.id / ${ordinalSpan} cross join files f on f.number = r.file`;

/**
 * Distances of passages that only the word leg found; parameters are the vector, the ids as a JSON array, the vector's
 * bytes, and the model.
 */
export const distanceSql = `
  select v.id as id, vec_distance_cosine(v.vector, ?) as distance
  from json_each(?) wanted cross join vectors v on v.id = wanted.value and length(v.vector) = ?
    cross join revisions r on r.number = v.id / ${ordinalSpan} where coalesce(v.model, r.model) = ?`;

/**
 * How many retrievable passages of an organization contain each stem; parameters are the stems as a JSON array and the
 * organization.
 */
export const countsSql =
  'select c.stem, c.passages from json_each(?) wanted cross join stem_counts c on c.organization = ? and c.stem = wanted.value';
