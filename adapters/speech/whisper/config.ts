/** What the decoding needs of a model's config.json, as CTranslate2 writes it. */
export interface WhisperConfig {
  /** Attention heads of the decoder that follow the sound: layer, and index in the layer. */
  alignmentHeads: readonly (readonly [layer: number, head: number])[];
  /** Tokens that are never written, such as notes and brackets. */
  suppressed: readonly number[];
  /** Tokens that are never the first. */
  suppressedFirst: readonly number[];
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isCountList(value: unknown): value is number[] {
  return Array.isArray(value) && value.every(isCount);
}

function pairOf(value: unknown): readonly [number, number] {
  if (!isCountList(value) || value.length !== 2) throw new Error('config.json needs alignment_heads as pairs');
  const [layer = 0, head = 0] = value;
  return [layer, head];
}

/** Reads the text of a config.json. @throws Error that says what is missing. */
export function parseWhisperConfig(json: string): WhisperConfig {
  const parsed: unknown = JSON.parse(json);
  const fields: Readonly<Record<string, unknown>> = typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  const { alignment_heads: heads, suppress_ids: suppressed, suppress_ids_begin: suppressedFirst } = fields;
  if (!Array.isArray(heads) || heads.length === 0) throw new Error('config.json needs alignment_heads');
  if (!isCountList(suppressed)) throw new Error('config.json needs suppress_ids');
  if (!isCountList(suppressedFirst)) throw new Error('config.json needs suppress_ids_begin');
  return { alignmentHeads: heads.map(pairOf), suppressed, suppressedFirst };
}
