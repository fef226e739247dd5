import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Block } from '../../models/block.ts';
import { passagesOf } from '../../services/embedder/passages.ts';

/** A query with its judgements: document id to grade, grades above 0 count as relevant. */
export interface JudgedQuery {
  id: string;
  text: string;
  relevant: Set<string>;
}

/** A labelled retrieval collection. */
export interface LabelledCollection {
  name: string;
  /** Documents, split into passages like in the product. */
  documents: { id: string; passages: string[] }[];
  /** Queries with at least one relevant document that is in the collection. */
  queries: JudgedQuery[];
}

/** Splits a text into passages like the product. */
async function passagesOfText(text: string): Promise<string[]> {
  async function* blocks(): AsyncGenerator<Block> {
    for (const paragraph of text.split(/\n\s*\n/)) yield { text: paragraph.trim(), location: {}, group: 'text' };
  }
  const passages: string[] = [];
  for await (const passage of passagesOf(blocks(), { language: 'en' })) passages.push(passage.text);
  return passages;
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

function field(record: unknown, name: string): string {
  if (typeof record !== 'object' || record === null) return '';
  const value: unknown = Reflect.get(record, name);
  return typeof value === 'string' ? value : '';
}

/** A labelled retrieval collection as stored in its folder. */
export interface LabelledTexts {
  name: string;
  /** Whole texts: the title, where the text does not begin with it, and the text. Without the empty ones. */
  documents: { id: string; text: string }[];
  /** Queries with at least one relevant document that is there, each judged document with its grade. */
  queries: { id: string; text: string; judged: Map<string, number> }[];
}

/**
 * Reads a folder in BEIR layout (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`):
 * https://github.com/beir-cellar/beir/wiki/Load-your-custom-dataset
 * @throws where a file is missing or no query has a judged document.
 */
export function readTexts(folder: string): LabelledTexts {
  const documents = lines(join(folder, 'corpus.jsonl')).flatMap((line) => {
    const record: unknown = JSON.parse(line);
    const title = field(record, 'title');
    const body = field(record, 'text');
    const text = title === '' || body.startsWith(title) ? body || title : `${title}\n\n${body}`;
    return text.trim() === '' ? [] : [{ id: field(record, '_id'), text }];
  });
  const known = new Set(documents.map((document) => document.id));
  const judgements = new Map<string, Map<string, number>>();
  for (const line of lines(join(folder, 'qrels.tsv')).slice(1)) {
    const [query = '', document = '', grade = ''] = line.split('\t');
    if (!known.has(document)) continue;
    const judged = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, judged.set(document, Number(grade)));
  }
  const queries = lines(join(folder, 'queries.jsonl')).flatMap((line) => {
    const record: unknown = JSON.parse(line);
    const judged = judgements.get(field(record, '_id'));
    const answered = judged !== undefined && [...judged.values()].some((grade) => grade > 0);
    return answered ? [{ id: field(record, '_id'), text: field(record, 'text').trim(), judged }] : [];
  });
  if (queries.length === 0) throw new Error(`${folder}: no query has a judged document`);
  return { name: basename(folder), documents, queries };
}

/**
 * Reads a folder in BEIR layout and cuts its documents into passages as the product does.
 * @throws where a file is missing or no query has a judged document.
 */
export async function readCollection(folder: string): Promise<LabelledCollection> {
  const { name, documents, queries } = readTexts(folder);
  const cut: LabelledCollection['documents'] = [];
  for (const { id, text } of documents) cut.push({ id, passages: await passagesOfText(text) });
  return {
    name,
    documents: cut,
    queries: queries.map(({ id, text, judged }) => ({
      id,
      text,
      relevant: new Set([...judged].flatMap(([document, grade]) => (grade > 0 ? [document] : []))),
    })),
  };
}
