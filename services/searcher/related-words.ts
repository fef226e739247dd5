import type { Passages } from '../../adapters/passages/port.ts';
import { isCommon } from '../../models/analyser/analyser.ts';
import { weighQuery } from '../../models/relevance/relevance.ts';
import type { OrganizationScope } from '../../models/scope.ts';
import type { Near } from './related.ts';

/** Passages of a file whose words are read, spread over it. */
const passagesRead = 12;
/** Distinct words that are looked up, the most frequent of the file first. */
const wordsLookedUp = 600;
/** Words that others are found by. */
const wordsUsed = 12;
/** Passages that are asked for: at first, and at most where long files crowd others out. */
const candidates = { first: 200, most: 1600 };

/** The file that others are compared with. */
export interface ComparedFile {
  assetId: string;
  revision: number;
  principals: readonly string[] | null;
}

type Index = Pick<Passages, 'frequenciesOf' | 'countOf' | 'fetch' | 'retrieve'>;

/** The stems that tell a file from others, and that others hold as well: rare in the library, frequent in the file. */
async function tellingStems(passages: Index, scope: OrganizationScope, { assetId, revision }: ComparedFile): Promise<string[]> {
  const count = await passages.countOf(scope, assetId, revision);
  const read = Math.min(count, passagesRead);
  const keys = Array.from({ length: read }, (_, place) => ({ assetId, revision, ordinal: Math.floor((place * count) / read) }));
  const own = new Map<string, { occurrences: number; passages: number }>();
  for (const { stems, analysedAs } of await passages.fetch(scope, keys)) {
    const all = stems.split(' ').filter((stem) => stem !== '' && !isCommon(stem, analysedAs));
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
  const frequent = [...own].sort(([, one], [, other]) => other.occurrences - one.occurrences).slice(0, wordsLookedUp);
  const held = await passages.frequenciesOf(scope, frequent.map(([stem]) => stem));
  const highest = Math.max(1, ...held);
  return frequent
    .flatMap(([stem, { occurrences, passages: ownPassages }], place) => {
      const all = held[place] ?? 0;
      return all > ownPassages ? [{ stem, weight: Math.log1p(occurrences) * Math.log(1 + highest / all) }] : [];
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, wordsUsed)
    .map(({ stem }) => stem);
}

/**
 * Files that hold the words which tell a file from others, for files and libraries without vectors. How much a file is
 * like the other is the weight (idf) of the words that it holds over that of all of them, 0 to 1.
 */
export async function nearByWords(passages: Index, scope: OrganizationScope, file: ComparedFile): Promise<(limit: number) => Promise<Near[]>> {
  const stems = await tellingStems(passages, scope, file);
  if (stems.length === 0) return () => Promise.resolve([]);
  return async (limit) => {
    for (let asked = candidates.first; ; asked = Math.min(candidates.most, asked * 2)) {
      const found = await passages.retrieve(scope, {
        principals: file.principals, filter: {}, terms: stems.map((stem) => [stem]), vector: null, embeddingModel: null, exceptAsset: file.assetId, limit: asked,
      });
      const { weights, totalWeight } = weighQuery(found.statistics, stems.map(() => 1));
      const files = new Map<string, { near: Near; held: Set<number> }>();
      for (const { assetId, revision, ordinal, attributesVersion, frequencies } of found.candidates) {
        const key = `${assetId}/${revision}`;
        const known = files.get(key) ?? { near: { assetId, revision, ordinal, attributesVersion, similarity: 0 }, held: new Set<number>() };
        files.set(key, known);
        frequencies.forEach((frequency, term) => frequency > 0 && known.held.add(term));
      }
      if (files.size < limit && found.candidates.length >= asked && asked < candidates.most) continue;
      const similarityOf = (held: ReadonlySet<number>): number => [...held].reduce((sum, term) => sum + (weights[term] ?? 0), 0) / Math.max(Number.EPSILON, totalWeight);
      return [...files.values()].map(({ near, held }) => ({ ...near, similarity: similarityOf(held) })).sort((one, other) => other.similarity - one.similarity).slice(0, limit);
    }
  };
}
