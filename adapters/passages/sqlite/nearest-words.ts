import { isSimilar, lookupOf, maxPrefix, maxExamined, nearest } from '../similar-words.ts';
import type { NearWord, WordQuestion } from '../port.ts';
import { numberOf, textOf } from './connection.ts';
import type { Connection } from './connection.ts';

const byParts = `select s.stem from json_each(?) part cross join stem_parts s on s.organization = ? and s.part = part.value limit ${maxExamined}`;
const byStems =
  'select c.stem, c.passages from json_each(?) wanted cross join stem_counts c on c.organization = ? and c.stem = wanted.value';
const byRange = `select stem, passages from stem_counts where organization = ? and stem > ? and stem < ? limit ${maxPrefix}`;

/** Words of the organization that are similar to the requested ones, found by an index of their parts. */
export function nearestWords(
  connection: Connection,
  organizationId: string,
  questions: readonly WordQuestion[],
): NearWord[][] {
  const organization = numberOf(
    connection.get('select number from organizations where id = ?', organizationId)?.['number'],
  );
  return questions.map((question) => {
    const { parts, stems, ranges } = lookupOf(question);
    const sharing = parts.length === 0 ? [] : connection.lists(byParts, JSON.stringify(parts), organization);
    // Most words that share a part are not similar, and are not counted.
    const wanted = [...new Set(sharing.map((row) => textOf(row[0])))].filter((stem) => isSimilar(question, stem));
    wanted.push(...stems);
    const rows = [
      ...(wanted.length === 0 ? [] : connection.lists(byStems, JSON.stringify(wanted), organization)),
      ...ranges.flatMap(([after, before]) => connection.lists(byRange, organization, after, before)),
    ];
    return nearest(
      question,
      rows.map((row) => ({ stem: textOf(row[0]), passages: numberOf(row[1]) })),
    );
  });
}
