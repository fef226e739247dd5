import { randomUUID } from 'node:crypto';
import { scopeOf } from '../../models/scope.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { FileAttributes, IndexedPassage } from '../../models/passage.ts';
import type { Candidate, Passages, Retrieval } from './port.ts';

/** An opened index, with its cleanup. */
export interface OpenPassages {
  passages: Passages;
  stop(): Promise<void>;
}

/** Model of the tests' vectors. */
export const model = 'test-model';
/** Size of its vectors. */
export const vectorSize = 8;

/** An organization that no other test uses. */
export function newScope(): OrganizationScope {
  return scopeOf(`org-${randomUUID()}`);
}

/** A passage of these stems, without a vector by default. */
export function passage(ordinal: number, stems: string, more: Partial<IndexedPassage> = {}): IndexedPassage {
  return {
    ordinal,
    stems,
    text: `Text of ${stems}.`,
    length: stems === '' ? 0 : stems.split(' ').length,
    location: { page: ordinal + 1 },
    language: null,
    speaker: null,
    analysedAs: 'en',
    vector: null,
    ...more,
  };
}

/** Attributes of an open document. */
export function attributes(assetId: string, more: Partial<FileAttributes> = {}): FileAttributes {
  return {
    assetId,
    attributesVersion: 1,
    aclMode: 'open',
    principals: [],
    kind: 'document',
    externalId: `external ${assetId}`,
    metadata: {},
    collections: [],
    createdAt: 1000,
    present: true,
    ...more,
  };
}

/** A keyword retrieval of all open files by default. */
export function retrieval(more: Partial<Retrieval> = {}): Retrieval {
  return { principals: null, filter: {}, terms: [['word']], vectors: [], limit: 1000, ...more };
}

/** Writes and publishes a file. */
export async function index(
  passages: Passages,
  scope: OrganizationScope,
  rows: IndexedPassage[],
  of: FileAttributes,
  revision = 1,
  embeddingModel: string | null = model,
): Promise<void> {
  await passages.write(scope, { assetId: of.assetId, revision, embeddingModel }, rows);
  await passages.publish(scope, revision, rows.length, of);
}

/** `asset/revision/ordinal` of each candidate, sorted. */
export function names(candidates: readonly Candidate[]): string[] {
  return candidates.map(({ assetId, revision, ordinal }) => `${assetId}/${revision}/${ordinal}`).sort();
}

/**
 * The names of the candidates that a retrieval finds. Retrieves twice, since an adapter may cache its reads.
 * @throws if the two results differ
 */
export async function found(
  passages: Passages,
  scope: OrganizationScope,
  more: Partial<Retrieval> = {},
): Promise<string[]> {
  const first = names((await passages.retrieve(scope, retrieval(more))).candidates);
  const again = names((await passages.retrieve(scope, retrieval(more))).candidates);
  if (again.join() !== first.join())
    throw new Error(`found at first: ${first.join(', ')}; and then: ${again.join(', ')}`);
  return first;
}

/** A vector that begins with these numbers. */
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
  a.forEach((value, i) => {
    const other = b[i] ?? 0;
    dot += value * other;
    lengthA += value * value;
    lengthB += other * other;
  });
  return dot / Math.sqrt(lengthA * lengthB);
}

/**
 * Strings that break careless escaping: quotes, backslashes, operators of query languages, emoji, right-to-left text,
 * no-break space.
 */
export const oddStrings = [
  `'`,
  `"`,
  `\\`,
  `\\"`,
  `' or 1=1 --`,
  `") or true or ("`,
  `%`,
  `_`,
  `*`,
  `a\nb`,
  `\t`,
  `{x}`,
  `$or`,
  `a.b`,
  '😀',
  'مرحبا',
  '\u202Eabc',
  'a\u00A0b',
  '\u00E9',
  'e\u0301',
  'İ',
  'p'.repeat(512),
  '😀'.repeat(128),
  'null',
  'true',
  '0',
];
