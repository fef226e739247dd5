import { DataType } from '@zilliz/milvus2-sdk-node';
import type { FieldType } from '@zilliz/milvus2-sdk-node';

/** Numbers of the vector in the collection of passages without one: Milvus wants a dense field to stay the same everywhere. */
export const noVectorSize = 2;
/** What stands there. */
export const noVector: readonly number[] = [1, 0];

/** Characters of one piece of a long text: at most 3 bytes each in UTF-8, below the 65,535 bytes of a VarChar. */
export const pieceLength = 20_000;
const mostPieces = 1024;

const int64 = (name: string): FieldType => ({ name, data_type: DataType.Int64 });
const marks = (name: string): FieldType => ({ name, data_type: DataType.Array, element_type: DataType.Int64, max_capacity: 4096 });
const pieces = (name: string): FieldType => ({ name, data_type: DataType.Array, element_type: DataType.VarChar, max_capacity: mostPieces, max_length: 65_535 });
const text = (name: string): FieldType => ({ name, data_type: DataType.VarChar, max_length: 65_535 });

/** The fields of a collection whose vectors have this many numbers. A later form takes other names for its collections, so that both can serve at once. */
export function fields(vectorSize: number): FieldType[] {
  return [
    { ...int64('id'), is_primary_key: true, autoID: false },
    { ...int64('organization'), is_partition_key: true },
    text('organization_id'),
    text('asset'),
    ...['file', 'revision', 'ordinal', 'length', 'version', 'kind', 'external', 'created', 'speaker', 'language'].map(int64),
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

/** What the server tells of a field. */
export interface DescribedField {
  name: string;
  data_type: string;
  nullable?: boolean;
  default_value?: unknown;
}

/**
 * What keeps this program from reading and writing a collection with these fields; null where nothing does. A field more
 * does no harm where it may be left out.
 */
export function faultOf(described: readonly DescribedField[]): string | null {
  const wanted = new Map(fields(noVectorSize).map(({ name, data_type }) => [name, DataType[Number(data_type)]]));
  const found = new Map(described.map((field) => [field.name, field]));
  const lacking = [...wanted.keys()].filter((name) => !found.has(name));
  const otherwise = [...wanted].filter(([name, type]) => found.has(name) && found.get(name)?.data_type !== type).map(([name]) => name);
  const needed = described.filter(({ name, nullable, default_value: value }) => !wanted.has(name) && nullable !== true && (value === undefined || value === null)).map(({ name }) => name);
  const faults = [['lacks', lacking], ['has otherwise', otherwise], ['wants besides', needed]] as const;
  const told = faults.filter(([, names]) => names.length > 0).map(([what, names]) => `${what} ${names.join(', ')}`);
  return told.length === 0 ? null : told.join('; ');
}
