import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Shape of the small model for tests. */
export const smallModel = { hidden: 16, wide: 32, layers: 2, heads: 4, positions: 300, types: 2, epsilon: 1e-12 };

/** Its vocabulary. */
const smallVocabulary = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'the', 'cat', 'sat', '##s', 'on', 'a', 'mat', '.'];

/**
 * The tensors of the small model by name, with their shapes; values from a fixed generator
 * (https://en.wikipedia.org/wiki/Linear_congruential_generator).
 */
export function smallWeights(): Map<string, { shape: number[]; values: Float32Array }> {
  let state = 12345;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const tensors = new Map<string, { shape: number[]; values: Float32Array }>();
  const add = (name: string, shape: number[], offset = 0): void => {
    tensors.set(name, {
      shape,
      values: Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, () => next() + offset),
    });
  };
  const { hidden, wide, layers, positions, types } = smallModel;
  const linear = (name: string, from: number, to: number): void => {
    add(`${name}.weight`, [to, from]);
    add(`${name}.bias`, [to]);
  };
  const norm = (name: string): void => {
    add(`${name}.weight`, [hidden], 1);
    add(`${name}.bias`, [hidden]);
  };
  add('embeddings.word_embeddings.weight', [smallVocabulary.length, hidden]);
  add('embeddings.position_embeddings.weight', [positions, hidden]);
  add('embeddings.token_type_embeddings.weight', [types, hidden]);
  norm('embeddings.LayerNorm');
  for (let layer = 0; layer < layers; layer++) {
    const at = `encoder.layer.${layer}`;
    for (const part of ['query', 'key', 'value']) linear(`${at}.attention.self.${part}`, hidden, hidden);
    linear(`${at}.attention.output.dense`, hidden, hidden);
    norm(`${at}.attention.output.LayerNorm`);
    linear(`${at}.intermediate.dense`, hidden, wide);
    linear(`${at}.output.dense`, wide, hidden);
    norm(`${at}.output.LayerNorm`);
  }
  return tensors;
}

/** Writes the small model in the layout of Hugging Face: config.json, model.safetensors, vocab.txt. */
export async function writeSmallModel(folder: string): Promise<void> {
  const header: Record<string, object> = {};
  const parts: Buffer[] = [];
  let offset = 0;
  for (const [name, { shape, values }] of smallWeights()) {
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + values.byteLength] };
    parts.push(Buffer.from(values.buffer));
    offset += values.byteLength;
  }
  const head = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(head.length));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.safetensors'), Buffer.concat([size, head, ...parts]));
  await writeFile(join(folder, 'vocab.txt'), smallVocabulary.join('\n'));
  const { hidden, wide, layers, heads, positions, types, epsilon } = smallModel;
  await writeFile(
    join(folder, 'config.json'),
    JSON.stringify({
      model_type: 'bert',
      hidden_act: 'gelu',
      position_embedding_type: 'absolute',
      layer_norm_eps: epsilon,
      hidden_size: hidden,
      intermediate_size: wide,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      vocab_size: smallVocabulary.length,
      max_position_embeddings: positions,
      type_vocab_size: types,
    }),
  );
}
