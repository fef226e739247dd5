type KnownPair = readonly [sentence: string, similar: string, unrelated: string];

/**
 * Sentences of known similarity: the second paraphrases the first, the third is unrelated.
 * A model that orders them differently is corrupt or does not match its manifest.
 */
const knownPairs: readonly KnownPair[] = [
  ['The cat sleeps on the sofa.', 'A cat is taking a nap on the couch.', 'The central bank raised interest rates.'],
  [
    'How do I reset my password?',
    'Steps to recover access to an account',
    'The bridge is closed for repairs until May.',
  ],
  [
    'Water boils at one hundred degrees Celsius.',
    'The boiling point of water is 100 °C.',
    'He plays the violin in an orchestra.',
  ],
];

/** The same across languages, for multilingual models. */
const translatedPairs: readonly KnownPair[] = [
  ['Wie setze ich mein Passwort zurück?', 'How do I reset my password?', 'The bridge is closed for repairs until May.'],
  ['القطة نائمة على الأريكة.', 'The cat sleeps on the sofa.', 'رفع البنك المركزي أسعار الفائدة.'],
  ['水在一百摄氏度沸腾。', 'L’eau bout à cent degrés Celsius.', 'Он играет на скрипке в оркестре.'],
];

/** Minimum difference of the two cosines, which is smaller for multilingual models. */
const minLead = { oneLanguage: 0.3, multilingual: 0.05 };

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

/**
 * Embeds the known sentences. @throws Error if the model does not distinguish them or its vectors are not of
 * unit length.
 */
export async function checkKnownPairs(
  embed: (texts: readonly string[]) => Promise<Float32Array[]>,
  isMultilingual = false,
): Promise<void> {
  const pairs = isMultilingual ? [...knownPairs, ...translatedPairs] : knownPairs;
  const minimum = isMultilingual ? minLead.multilingual : minLead.oneLanguage;
  const vectors = await embed(pairs.flat());
  pairs.forEach(([sentence], index) => {
    const [first, similar, unrelated] = vectors.slice(index * 3, index * 3 + 3);
    if (first === undefined || similar === undefined || unrelated === undefined)
      throw new Error('the model returned no vector for a known sentence');
    const size = Math.sqrt(cosine(first, first));
    if (!(Math.abs(size - 1) < 1e-3)) throw new Error(`the model's vectors are not of unit length (${size})`);
    const lead = cosine(first, similar) - cosine(first, unrelated);
    if (!(lead >= minimum))
      throw new Error(
        `the model does not recognize a paraphrase of ${JSON.stringify(sentence)} (lead ${lead.toFixed(3)})`,
      );
  });
}
