import protobuf from 'protobufjs';

/**
 * The part of onnx.proto3 that is written here; names are shortened, field numbers are the specification's:
 * https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3
 */
const schema = `syntax = "proto3"; package onnx;
message Model { int64 ir_version = 1; string producer_name = 2; Graph graph = 7; repeated OperatorSet opset_import = 8; }
message OperatorSet { string domain = 1; int64 version = 2; }
message Graph { repeated Node node = 1; string name = 2; repeated Tensor initializer = 5; repeated ValueInfo input = 11; repeated ValueInfo output = 12; }
message Node { repeated string input = 1; repeated string output = 2; string name = 3; string op_type = 4; repeated Attribute attribute = 5; string domain = 7; }
message Attribute { string name = 1; float f = 2; int64 i = 3; repeated int64 ints = 8; int32 type = 20; }
message Tensor { repeated int64 dims = 1; int32 data_type = 2; string name = 8; bytes raw_data = 9; repeated Entry external_data = 13; int32 data_location = 14; }
message Entry { string key = 1; string value = 2; }
message ValueInfo { string name = 1; Type type = 2; }
message Type { TensorType tensor_type = 1; }
message TensorType { int32 elem_type = 1; Shape shape = 2; }
message Shape { repeated Dim dim = 1; }
message Dim { int64 dim_value = 1; string dim_param = 2; }`;

/** TensorProto.DataType of the specification. */
export const dataType = { float: 1, int8: 3, int64: 7, int4: 22 } as const;

/** TensorProto.DataLocation of data in another file. */
const external = 1;

/**
 * The operators of ONNX Runtime beyond the standard: https://onnxruntime.ai/docs/reference/operators/contrib-ops.html
 */
const contributed = 'com.microsoft';

/** Versions of the format and of the operators, and version of the contributed operators if they are used. */
export interface GraphVersions {
  format: number;
  operators: number;
  contributed?: number;
}

/** Version 20 of the operators is the first that has Gelu. */
const oldestVersions: GraphVersions = { format: 9, operators: 20 };

/** An operator's setting: an integer, several, or a floating point number. */
export type AttributeValue = number | readonly number[] | { float: number };

/** An input or output of the graph; sizes that vary are given by name. */
export interface GraphValue {
  name: string;
  type: number;
  shape: readonly (number | string)[];
}

function attributeMessage(name: string, value: AttributeValue): object {
  if (typeof value === 'number') return { name, i: value, type: 2 };
  return 'float' in value ? { name, f: value.float, type: 1 } : { name, ints: value, type: 7 };
}

function valueMessage({ name, type, shape }: GraphValue): object {
  const dim = shape.map((size) => (typeof size === 'string' ? { dimParam: size } : { dimValue: size }));
  return { name, type: { tensorType: { elemType: type, shape: { dim } } } };
}

/** Collects the nodes and constants of an ONNX graph, and writes it. Operators: https://onnx.ai/onnx/operators/ */
export class OnnxGraph {
  readonly #nodes: object[] = [];
  readonly #constants: object[] = [];
  readonly #versions: GraphVersions;

  constructor(versions: GraphVersions = oldestVersions) {
    this.#versions = versions;
  }

  /** Adds a constant tensor; answers its name. */
  constant(name: string, type: number, shape: readonly number[], values: ArrayBufferView): string {
    this.#constants.push({
      name,
      dataType: type,
      dims: shape,
      rawData: Buffer.from(values.buffer, values.byteOffset, values.byteLength),
    });
    return name;
  }

  /**
   * Adds a constant tensor whose bytes are in a file next to the model's. The runtime maps that file, so only the parts
   * in use take memory.
   */
  externalConstant(
    name: string,
    type: number,
    shape: readonly number[],
    { location, offset, length }: { location: string; offset: number; length: number },
  ): string {
    const entries = { location, offset: String(offset), length: String(length) };
    this.#constants.push({
      name,
      dataType: type,
      dims: shape,
      externalData: Object.entries(entries).map(([key, value]) => ({ key, value })),
      dataLocation: external,
    });
    return name;
  }

  /** Adds a list of integers. */
  integers(name: string, ...values: number[]): string {
    return this.constant(name, dataType.int64, [values.length], BigInt64Array.from(values, BigInt));
  }

  /** Adds a single floating point number. */
  scalar(name: string, value: number): string {
    return this.constant(name, dataType.float, [], Float32Array.of(value));
  }

  /** Adds an operator with one output; answers the output's name. */
  operator(
    type: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>> = {},
    output?: string,
  ): string {
    const name = output ?? `${type}_${this.#nodes.length}`;
    this.operatorWithOutputs(type, inputs, [name], attributes);
    return name;
  }

  /** Adds a contributed operator with one output; answers the output's name. */
  contributedOperator(
    type: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>> = {},
  ): string {
    const name = `${type}_${this.#nodes.length}`;
    this.#add(type, inputs, [name], attributes, contributed);
    return name;
  }

  /** Adds an operator with several outputs. */
  operatorWithOutputs(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>> = {},
  ): void {
    this.#add(type, inputs, outputs, attributes);
  }

  #add(
    type: string,
    inputs: readonly string[],
    outputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>>,
    domain?: string,
  ): void {
    const attribute = Object.entries(attributes).map(([name, value]) => attributeMessage(name, value));
    this.#nodes.push({
      opType: type,
      name: `node_${this.#nodes.length}`,
      input: inputs,
      output: outputs,
      attribute,
      ...(domain === undefined ? {} : { domain }),
    });
  }

  /** The finished model as the bytes of an .onnx file. */
  encode(inputs: readonly GraphValue[], outputs: readonly GraphValue[]): Uint8Array {
    const model = protobuf.parse(schema).root.lookupType('onnx.Model');
    const graph = {
      name: 'encoder',
      node: this.#nodes,
      initializer: this.#constants,
      input: inputs.map(valueMessage),
      output: outputs.map(valueMessage),
    };
    const { format, operators, contributed: extra } = this.#versions;
    const opsetImport = [{ domain: '', version: operators }];
    if (extra !== undefined) opsetImport.push({ domain: contributed, version: extra });
    return model.encode(model.create({ irVersion: format, producerName: 'ply', opsetImport, graph })).finish();
  }
}
