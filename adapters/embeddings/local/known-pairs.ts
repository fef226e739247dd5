type KnownPair = readonly [sentence: string, alike: string, unlike: string];

/**
 * Sentences whose meaning is beyond doubt: the second says what the first says, the third speaks of something else.
 * A model that orders them otherwise is broken or is not what its manifest says.
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

/** Least difference of the two cosines. Those of multilingual models lie closer together. */
const minLead = { oneLanguage: 0.3, multilingual: 0.05 };

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

/**
 * Embeds the known sentences, and throws an Error where the model does not tell them apart or its vectors are not of
 * unit length.
 */
export async function checkKnownPairs(
  embed: (texts: readonly string[]) => Promise<Float32Array[]>,
  isMultilingual = false,
): Promise<void> {
  const pairs = isMultilingual ? [...knownPairs, ...translatedPairs] : knownPairs;
  const least = isMultilingual ? minLead.multilingual : minLead.oneLanguage;
  const vectors = await embed(pairs.flat());
  pairs.forEach(([sentence], index) => {
    const [first, alike, unlike] = vectors.slice(index * 3, index * 3 + 3);
    if (first === undefined || alike === undefined || unlike === undefined)
      throw new Error('the model left out a known sentence');
    const size = Math.sqrt(cosine(first, first));
    if (!(Math.abs(size - 1) < 1e-3)) throw new Error(`the model's vectors are not of unit length (${size})`);
    const lead = cosine(first, alike) - cosine(first, unlike);
    if (!(lead >= least))
      throw new Error(`the model does not know what is like ${JSON.stringify(sentence)} (lead ${lead.toFixed(3)})`);
  });
}
