import type { RowData } from '@zilliz/milvus2-sdk-node';
import type { FileAttributes, IndexedPassage, Passage } from '../../../models/passage.ts';
import { descriptionMarks, indexText, primaryLanguage, principalMark } from '../tokens.ts';
import { noVector, pieceLength } from './form.ts';
import { fileKey, half, keyOfDigest, noValue, organizationKey, rowKey, valueKey } from './keys.ts';
import type { Key } from './keys.ts';

/** Maximum bytes of a passage's tokens in the word index; only the first words of a longer passage are indexed. */
const maxTokenBytes = 65_000;

/** The fields of a row that describe its file. */
export function attributeFields(attributes: FileAttributes): RowData {
  const grants = split(attributes.aclMode === 'restricted' ? attributes.principals.map(principalMark) : []);
  const marks = split(descriptionMarks(attributes));
  return {
    live: attributes.present,
    open: attributes.aclMode === 'open',
    grants0: grants[0],
    grants1: grants[1],
    marks0: marks[0],
    marks1: marks[1],
    version: attributes.attributesVersion,
    kind: valueKey('kind', attributes.kind),
    external: valueKey('external', attributes.externalId),
    created: Math.floor(attributes.createdAt),
  };
}

/** The same fields before the revision is published: they exclude the row from every search. */
export const unpublishedFields: RowData = {
  live: false,
  open: false,
  grants0: [],
  grants1: [],
  marks0: [],
  marks1: [],
  version: -1,
  kind: noValue,
  external: noValue,
  created: 0,
};

function split(digests: readonly string[]): [Key[], Key[]] {
  const halves: [Key[], Key[]] = [[], []];
  for (const digest of new Set(digests)) {
    const key = keyOfDigest(digest);
    halves[half(key)].push(key);
  }
  return halves;
}

/** A complete row. */
export function rowOf(
  organizationId: string,
  file: { assetId: string; revision: number },
  passage: IndexedPassage,
  attributes: RowData,
): RowData {
  const { ordinal, text, stems, length, location, language, speaker, analysedAs, timings, vector } = passage;
  const tokens = indexText(stems);
  return {
    ...attributes,
    id: rowKey(organizationId, file.assetId, file.revision, ordinal),
    organization: organizationKey(organizationId),
    organization_id: organizationId,
    asset: file.assetId,
    file: fileKey(organizationId, file.assetId),
    revision: file.revision,
    ordinal,
    length,
    speaker: speaker === null ? noValue : valueKey('speaker', speaker),
    language: language === null ? noValue : valueKey('language', primaryLanguage(language)),
    analysed_as: analysedAs,
    stems: piecesOf(stems),
    body: piecesOf(JSON.stringify({ text, location, language, speaker, timings })),
    tokens: tokens.length <= maxTokenBytes ? tokens : tokens.slice(0, tokens.lastIndexOf(' ', maxTokenBytes)),
    dense: vector === null ? [...noVector] : [...vector],
  };
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    let end = Math.min(at + pieceLength, text.length);
    // Surrogate pairs are not split.
    if (end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00) end -= 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

/** A row of a query result. */
export type ResultRow = Record<string, unknown>;

/** Fields that grading needs. */
export const candidateFields = [
  'id',
  'organization_id',
  'asset',
  'revision',
  'ordinal',
  'version',
  'length',
  'analysed_as',
  'stems',
];
/** Fields that `passageOf` reads. */
export const passageFields = [
  'organization_id',
  'asset',
  'revision',
  'ordinal',
  'length',
  'analysed_as',
  'stems',
  'body',
];

/** Text that was stored in pieces. */
export function joined(pieces: unknown): string {
  return Array.isArray(pieces) ? pieces.join('') : '';
}

/** Decodes the passage of a row. */
export function passageOf(row: ResultRow): Passage & { assetId: string; revision: number } {
  const body = JSON.parse(joined(row['body'])) as Pick<
    Passage,
    'text' | 'location' | 'language' | 'speaker' | 'timings'
  >;
  return {
    assetId: String(row['asset']),
    revision: Number(row['revision']),
    ordinal: Number(row['ordinal']),
    stems: joined(row['stems']),
    length: Number(row['length']),
    analysedAs: String(row['analysed_as']),
    ...body,
  };
}
