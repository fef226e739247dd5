/** Sides of the small Whisper model that tests make. */
export const smallModel = { width: 8, heads: 2, layers: 2, positions: 20, mels: 5, words: 40, tokens: 30 };

/** A tensor of a CTranslate2 file: a name, sides, and floats, or an integer where there are no sides. */
interface StoredTensor {
  name: string;
  shape: number[];
  values: number[];
}

function text(value: string): Buffer {
  const bytes = Buffer.from(`${value}\0`);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** A model.bin of CTranslate2 with 32-bit floats, and 8-bit integers for tensors without sides. */
export function ct2File(
  tensors: readonly StoredTensor[],
  aliases: readonly [alias: string, name: string][] = [],
  { version = 6, specification = 'WhisperSpec' } = {},
): Buffer {
  const stored = tensors.map(({ name, shape, values }) => {
    const isInteger = shape.length === 0;
    const data = isInteger ? Buffer.from(Int8Array.from(values).buffer) : Buffer.from(Float32Array.from(values).buffer);
    const type = isInteger ? 1 : 0;
    return Buffer.concat([
      text(name),
      Buffer.from([shape.length]),
      ...shape.map(integer),
      Buffer.from([type]),
      integer(data.length),
      data,
    ]);
  });
  return Buffer.concat([
    integer(version),
    text(specification),
    integer(3),
    integer(tensors.length),
    ...stored,
    integer(aliases.length),
    ...aliases.flatMap(([alias, name]) => [text(alias), text(name)]),
  ]);
}

/**
 * The weights of the small model, from a fixed generator (https://en.wikipedia.org/wiki/Linear_congruential_generator).
 */
export function smallWeights(): Buffer {
  const { width, heads, layers, positions, mels, words, tokens } = smallModel;
  let state = 12_345;
  const tensors: StoredTensor[] = [];
  const add = (name: string, shape: number[], offset = 0): void => {
    const values = Array.from({ length: shape.reduce((product, side) => product * side, 1) }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32 - 0.5 + offset;
    });
    tensors.push({ name, shape, values });
  };
  const linear = (name: string, from: number, to: number): void => {
    add(`${name}/weight`, [to, from]);
    add(`${name}/bias`, [to]);
  };
  const norm = (name: string): void => {
    add(`${name}/gamma`, [width], 1);
    add(`${name}/beta`, [width]);
  };
  const attention = (name: string, sides: readonly number[]): void => {
    norm(`${name}/layer_norm`);
    sides.forEach((to, index) => linear(`${name}/linear_${index}`, width, to));
  };
  const feedForward = (name: string): void => {
    norm(`${name}/layer_norm`);
    linear(`${name}/linear_0`, width, 2 * width);
    linear(`${name}/linear_1`, 2 * width, width);
  };
  for (const part of ['encoder', 'decoder']) {
    tensors.push({ name: `${part}/num_heads`, shape: [], values: [heads] });
    add(`${part}/position_encodings/encodings`, [part === 'encoder' ? positions : tokens, width]);
    norm(`${part}/layer_norm`);
    for (let layer = 0; layer < layers; layer++) {
      attention(`${part}/layer_${layer}/self_attention`, [3 * width, width]);
      if (part === 'decoder') attention(`${part}/layer_${layer}/attention`, [width, 2 * width, width]);
      feedForward(`${part}/layer_${layer}/ffn`);
    }
  }
  add('encoder/conv1/weight', [width, mels, 3]);
  add('encoder/conv1/bias', [width]);
  add('encoder/conv2/weight', [width, width, 3]);
  add('encoder/conv2/bias', [width]);
  add('decoder/embeddings/weight', [words, width]);
  return ct2File(tensors);
}
