/** A token with the natural logarithm of its probability. */
export interface Choice {
  id: number;
  logProbability: number;
}

function largest(logits: Float32Array, count: number): { id: number; logit: number } {
  let id = 0;
  let logit = -Infinity;
  for (let index = 0; index < count; index++) {
    const value = logits[index] ?? -Infinity;
    if (value > logit) [id, logit] = [index, value];
  }
  return { id, logit };
}

/** The most probable of the first `count` tokens. Changes the logits of the suppressed ones, which cannot be chosen. */
export function mostProbable(logits: Float32Array, count: number, suppressed: readonly number[]): Choice {
  for (const id of suppressed) logits[id] = -Infinity;
  const { id, logit } = largest(logits, count);
  let sum = 0;
  for (let index = 0; index < count; index++) sum += Math.exp((logits[index] ?? -Infinity) - logit);
  return { id, logProbability: -Math.log(sum) };
}

/**
 * One of the first `count` tokens at random, each with its probability at a temperature. Changes the logits of the
 * suppressed ones, which cannot be chosen. `logProbability` is that of the token at temperature 1.
 */
export function sampled(
  logits: Float32Array,
  count: number,
  suppressed: readonly number[],
  { temperature, random }: { temperature: number; random: () => number },
): Choice {
  const best = mostProbable(logits, count, suppressed);
  const top = logits[best.id] ?? 0;
  const weight = (id: number): number => Math.exp(((logits[id] ?? -Infinity) - top) / temperature);
  let sum = 0;
  for (let id = 0; id < count; id++) sum += weight(id);
  let left = random() * sum;
  for (let id = 0; id < count; id++) {
    left -= weight(id);
    if (left < 0) return { id, logProbability: best.logProbability + (logits[id] ?? 0) - top };
  }
  return best;
}

/**
 * Numbers from 0 up to 1 from a fixed seed, so that the same sound gives the same words (D. Lehmer's generator with the
 * factor of S. Park and K. Miller, "Random number generators: good ones are hard to find", CACM 31, 1988).
 */
export function fixedRandom(): () => number {
  const modulus = 2 ** 31 - 1;
  let state = 20_091;
  return () => {
    state = (state * 48_271) % modulus;
    return state / modulus;
  };
}

/** Probability of one token among all. */
export function probabilityOf(logits: Float32Array, id: number): number {
  const { logit } = largest(logits, logits.length);
  const sum = logits.reduce((total, value) => total + Math.exp(value - logit), 0);
  return Math.exp((logits[id] ?? -Infinity) - logit) / sum;
}

/** The most probable language, with its probability among all; null where the model has none. */
export function mostProbableLanguage(
  logits: Float32Array,
  languages: ReadonlyMap<string, number>,
): { language: string; probability: number } | null {
  const candidates = [...languages]
    .map(([language, id]) => ({ language, logit: logits[id] ?? -Infinity }))
    .sort((one, other) => other.logit - one.logit);
  const [first] = candidates;
  if (first === undefined) return null;
  const sum = candidates.reduce((total, { logit }) => total + Math.exp(logit - first.logit), 0);
  return { language: first.language, probability: 1 / sum };
}
