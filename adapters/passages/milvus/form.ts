import { DataType } from '@zilliz/milvus2-sdk-node';
import type { FieldType } from '@zilliz/milvus2-sdk-node';

/**
 * Size of the placeholder vector in the collection of passages without vectors: Milvus requires a dense field in each
 * row.
 */
export const noVectorSize = 2;
/** The placeholder vector. */
export const noVector: readonly number[] = [1, 0];

/** Characters of one piece of a long text: at most 3 bytes each in UTF-8, below the 65,535 bytes of a VarChar. */
export const pieceLength = 20_000;
const maxPieces = 1024;

const int64 = (name: string): FieldType => ({ name, data_type: DataType.Int64 });
const marks = (name: string): FieldType => ({
  name,
  data_type: DataType.Array,
  element_type: DataType.Int64,
  max_capacity: 4096,
});
const pieces = (name: string): FieldType => ({
  name,
  data_type: DataType.Array,
  element_type: DataType.VarChar,
  max_capacity: maxPieces,
  max_length: 65_535,
});
const text = (name: string): FieldType => ({ name, data_type: DataType.VarChar, max_length: 65_535 });

/**
 * The fields of a collection with vectors of this size. A later schema needs other collection names, so that both can
 * be used at the same time.
 */
export function fields(vectorSize: number): FieldType[] {
  return [
    { ...int64('id'), is_primary_key: true, autoID: false },
    { ...int64('organization'), is_partition_key: true },
    text('organization_id'),
    text('asset'),
    ...['file', 'revision', 'ordinal', 'length', 'version', 'kind', 'external', 'created', 'speaker', 'language'].map(
      int64,
    ),
    { name: 'live', data_type: DataType.Bool },
    { name: 'open', data_type: DataType.Bool },
    ...['grants0', 'grants1', 'marks0', 'marks1'].map(marks),
    text('analysed_as'),
    pieces('stems'),
    pieces('body'),
    { ...text('tokens'), enable_analyzer: true, analyzer_params: { tokenizer: 'standard' } },
    { name: 'sparse', data_type: DataType.SparseFloatVector },
    { name: 'dense', data_type: DataType.FloatVector, dim: vectorSize },
  ];
}

/** A field as the server describes it. */
export interface DescribedField {
  name: string;
  data_type: string;
  nullable?: boolean;
  default_value?: unknown;
}

/**
 * Why this program cannot read and write a collection with these fields, as a predicate; null if it can. Additional
 * fields are accepted if they are optional.
 */
export function schemaFaultOf(described: readonly DescribedField[]): string | null {
  const wanted = new Map(fields(noVectorSize).map(({ name, data_type }) => [name, DataType[Number(data_type)]]));
  const found = new Map(described.map((field) => [field.name, field]));
  const lacking = [...wanted.keys()].filter((name) => !found.has(name));
  const mistyped = [...wanted]
    .filter(([name, type]) => found.has(name) && found.get(name)?.data_type !== type)
    .map(([name]) => name);
  const required = described
    .filter(
      ({ name, nullable, default_value: value }) =>
        !wanted.has(name) && nullable !== true && (value === undefined || value === null),
    )
    .map(({ name }) => name);
  const faults = [
    ['lacks', lacking],
    ['has other types for', mistyped],
    ['also requires', required],
  ] as const;
  const messages = faults
    .filter(([, names]) => names.length > 0)
    .map(([message, names]) => `${message} ${names.join(', ')}`);
  return messages.length === 0 ? null : messages.join('; ');
}
