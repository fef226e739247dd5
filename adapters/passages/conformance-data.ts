import { randomUUID } from 'node:crypto';
import { scopeOf } from '../../models/scope.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { FileAttributes, IndexedPassage } from '../../models/passage.ts';
import type { Candidate, Passages, Retrieval } from './port.ts';

/** An opened index, and how it is given back. */
export interface OpenPassages {
  passages: Passages;
  stop(): Promise<void>;
}

/** Model whose vectors the tests lay down. */
export const model = 'test-model';
/** Numbers of its vectors. */
export const vectorSize = 8;

/** An organization that no other test has. */
export function newScope(): OrganizationScope {
  return scopeOf(`org-${randomUUID()}`);
}

/** A passage of these stems; its vector is none unless one is given. */
export function passage(ordinal: number, stems: string, more: Partial<IndexedPassage> = {}): IndexedPassage {
  return {
    ordinal, stems, text: `Text of ${stems}.`, length: stems === '' ? 0 : stems.split(' ').length, location: { page: ordinal + 1 },
    language: null, speaker: null, analysedAs: 'en', vector: null, ...more,
  };
}

/** An open document's attributes. */
export function attributes(assetId: string, more: Partial<FileAttributes> = {}): FileAttributes {
  return {
    assetId, attributesVersion: 1, aclMode: 'open', principals: [], kind: 'document', externalId: `external ${assetId}`, metadata: {},
    collections: [], createdAt: 1000, present: true, ...more,
  };
}

/** A retrieval by words of everything open, or what is said. */
export function retrieval(more: Partial<Retrieval> = {}): Retrieval {
  return { principals: null, filter: {}, terms: [['word']], vector: null, embeddingModel: null, limit: 1000, ...more };
}

/** A file's whole way into the index. */
export async function index(passages: Passages, scope: OrganizationScope, rows: IndexedPassage[], of: FileAttributes, revision = 1, embeddingModel: string | null = model): Promise<void> {
  await passages.write(scope, { assetId: of.assetId, revision, embeddingModel }, rows);
  await passages.publish(scope, revision, rows.length, of);
}

/** `asset/revision/ordinal` of each candidate, sorted. */
export function names(candidates: readonly Candidate[]): string[] {
  return candidates.map(({ assetId, revision, ordinal }) => `${assetId}/${revision}/${ordinal}`).sort();
}

/** What a retrieval finds, by name. Asked twice, for an adapter may remember what it has read. @throws where the second answer is another one */
export async function found(passages: Passages, scope: OrganizationScope, more: Partial<Retrieval> = {}): Promise<string[]> {
  const first = names((await passages.retrieve(scope, retrieval(more))).candidates);
  const again = names((await passages.retrieve(scope, retrieval(more))).candidates);
  if (again.join() !== first.join()) throw new Error(`found at first: ${first.join(', ')}; and then: ${again.join(', ')}`);
  return first;
}

/** A vector whose first numbers are these. */
export function vector(...numbers: number[]): Float32Array {
  const made = new Float32Array(vectorSize);
  made.set(numbers);
  return made;
}

/** Cosine in double precision. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  a.forEach((value, place) => {
    const other = b[place] ?? 0;
    dot += value * other;
    lengthA += value * value;
    lengthB += other * other;
  });
  return dot / Math.sqrt(lengthA * lengthB);
}

/** Strings that break careless escaping: quotes, backslashes, signs of query languages, emoji, right-to-left, no-break space. */
export const oddStrings = [
  `'`, `"`, `\\`, `\\"`, `' or 1=1 --`, `") or true or ("`, `%`, `_`, `*`, `a\nb`, `\t`, `{x}`, `$or`, `a.b`, '😀', 'مرحبا', '\u202Eabc', 'a\u00A0b', '\u00E9', 'e\u0301',
  'İ', 'p'.repeat(512), '😀'.repeat(128), 'null', 'true', '0',
];
