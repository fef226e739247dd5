import type { Passages } from '../../adapters/passages/port.ts';
import { isCommon } from '../../models/analyser/analyser.ts';
import { evenlySpaced } from '../../models/passage.ts';
import { stemsOnly } from '../../models/passage-words.ts';
import { weighQuery } from '../../models/relevance/relevance.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { Near } from './related.ts';

/** Passages of a file whose words are read, evenly spaced. */
const maxPassagesRead = 12;
/** Distinct words whose frequency is looked up, the most frequent ones of the file. */
const maxLookedUp = 600;
/** Words that other files are found by. */
const maxWords = 12;
/** Passages retrieved, at first and at most where long files displace others. */
const candidates = { first: 200, max: 1600 };

/** The file to compare others with. */
export interface ComparedFile {
  assetId: string;
  revision: number;
  principals: readonly string[] | null;
}

type Index = Pick<Passages, 'frequenciesOf' | 'countOf' | 'fetch' | 'retrieve'>;

/** The stems that characterise a file and occur in others: rare in the library, frequent in the file. */
async function characteristicStems(
  passages: Index,
  scope: OrganizationScope,
  { assetId, revision }: ComparedFile,
): Promise<string[]> {
  const count = await passages.countOf(scope, assetId, revision);
  const keys = evenlySpaced(count, maxPassagesRead).map((ordinal) => ({ assetId, revision, ordinal }));
  const own = new Map<string, { occurrences: number; passages: number }>();
  for (const { stems, analysedAs } of await passages.fetch(scope, keys)) {
    const all = stemsOnly(stems)
      .split(' ')
      .filter((stem) => stem !== '' && !isCommon(stem, analysedAs));
    for (const stem of all) {
      const known = own.get(stem) ?? { occurrences: 0, passages: 0 };
      known.occurrences += 1;
      own.set(stem, known);
    }
    for (const stem of new Set(all)) {
      const known = own.get(stem);
      if (known !== undefined) known.passages += 1;
    }
  }
  const frequent = [...own].sort(([, one], [, other]) => other.occurrences - one.occurrences).slice(0, maxLookedUp);
  const counts = await passages.frequenciesOf(
    scope,
    frequent.map(([stem]) => stem),
  );
  const highest = Math.max(1, ...counts);
  return frequent
    .flatMap(([stem, { occurrences, passages: ownPassages }], index) => {
      const all = counts[index] ?? 0;
      return all > ownPassages ? [{ stem, weight: Math.log1p(occurrences) * Math.log(1 + highest / all) }] : [];
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, maxWords)
    .map(({ stem }) => stem);
}

/**
 * Files that contain the characteristic words of a file, for files and libraries without vectors. The similarity is the
 * weight (idf) of the words that a file contains over that of all of them, 0 to 1.
 */
export async function nearByWords(
  passages: Index,
  scope: OrganizationScope,
  file: ComparedFile,
): Promise<(limit: number) => Promise<Near[]>> {
  const stems = await characteristicStems(passages, scope, file);
  if (stems.length === 0) return () => Promise.resolve([]);
  return async (limit) => {
    for (let count = candidates.first; ; count = Math.min(candidates.max, count * 2)) {
      const found = await passages.retrieve(scope, {
        principals: file.principals,
        filter: {},
        terms: stems.map((stem) => [stem]),
        vectors: [],
        exceptAsset: file.assetId,
        limit: count,
      });
      const { weights, totalWeight } = weighQuery(
        found.statistics,
        stems.map(() => 1),
      );
      const files = new Map<string, { near: Near; matched: Set<number> }>();
      for (const { assetId, revision, ordinal, attributesVersion, frequencies } of found.candidates) {
        const key = `${assetId}/${revision}`;
        const known = files.get(key) ?? {
          near: { assetId, revision, ordinal, attributesVersion, similarity: 0 },
          matched: new Set<number>(),
        };
        files.set(key, known);
        frequencies.forEach((frequency, term) => frequency > 0 && known.matched.add(term));
      }
      if (files.size < limit && found.candidates.length >= count && count < candidates.max) continue;
      const similarityOf = (matched: ReadonlySet<number>): number =>
        [...matched].reduce((sum, term) => sum + (weights[term] ?? 0), 0) / Math.max(Number.EPSILON, totalWeight);
      return [...files.values()]
        .map(({ near, matched }) => ({ ...near, similarity: similarityOf(matched) }))
        .sort((one, other) => other.similarity - one.similarity)
        .slice(0, limit);
    }
  };
}
