/** The shape of a BERT encoder, from its config.json. */
export interface BertConfig {
  hiddenSize: number;
  intermediateSize: number;
  layers: number;
  heads: number;
  vocabularySize: number;
  positions: number;
  tokenTypes: number;
  /** Added to the variance in layer normalisation. */
  normEpsilon: number;
}

/**
 * Reads the config.json of a Hugging Face model. @throws Error unless it is a BERT encoder with exact GELU and absolute
 * positions.
 */
export function parseBertConfig(json: string): BertConfig {
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed !== 'object' || parsed === null) throw new Error('config.json is no object');
  const settings: Readonly<Record<string, unknown>> = { ...parsed };
  if (
    settings['model_type'] !== 'bert' ||
    settings['hidden_act'] !== 'gelu' ||
    (settings['position_embedding_type'] ?? 'absolute') !== 'absolute'
  ) {
    throw new Error('only BERT encoders with exact GELU and absolute positions can be converted');
  }
  const numberOf = (name: string): number => {
    const value = settings[name];
    if (typeof value !== 'number' || !(value > 0)) throw new Error(`config.json lacks ${name}`);
    return value;
  };
  return {
    hiddenSize: numberOf('hidden_size'),
    intermediateSize: numberOf('intermediate_size'),
    layers: numberOf('num_hidden_layers'),
    heads: numberOf('num_attention_heads'),
    vocabularySize: numberOf('vocab_size'),
    positions: numberOf('max_position_embeddings'),
    tokenTypes: numberOf('type_vocab_size'),
    normEpsilon: numberOf('layer_norm_eps'),
  };
}
