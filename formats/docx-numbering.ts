import type { Archive } from './archive.ts';
import { readLists } from './docx-lists.ts';
import type { Definition, Definitions, Level, List } from './docx-lists.ts';
import { numberText } from './docx-number-text.ts';
import { memoize, type ListMark, type WordStyles } from './docx-styles.ts';
import type { ReportWarning } from './reader.ts';

/** The displayed list number of a paragraph with a text, with the space after it; empty if there is none. */
export type NumberParagraph = (mark: ListMark, text: string) => string;

/** The lists of a Word file. */
export interface WordNumbering {
  /** Starts a new count, as for each part of a file. */
  counting(): NumberParagraph;
}

const deepestLevel = 8;
/** Maximum length of a chain of numbering styles. */
const maxHops = 5;
/** Maximum length of a displayed number. */
const longestNumber = 100;
/** A placeholder of a level's number. */
const placeholder = /%([1-9])/g;
/** Formats of outer levels that are kept in a level that displays all numbers in digits. */
const neverLegal = new Set(['none', 'decimalZero']);

/** Whether a level's text has words of its own (`Article %1`), so that it is read even if its paragraph is empty. */
const hasWords = (text: string): boolean => /\p{L}{2}/u.test(text.replace(placeholder, ' '));

/** A list instance with its definition, whose id identifies the count. */
interface UsedList {
  list: List;
  id: string;
  definition: Definition;
}

/** Looks up list instances by id, with a cache. Definitions that link to a style are resolved. */
function listFinder({ definitions, lists }: Definitions, styles: WordStyles): (id: string) => UsedList | null {
  const find = (list: List): UsedList | null => {
    let id = list.definition;
    for (let hops = 0; hops < maxHops; hops++) {
      const definition = definitions.get(id);
      if (definition === undefined) return null;
      const named = definition.styleLink === null ? null : styles.listOf(definition.styleLink).list;
      const next = named === null ? undefined : lists.get(named)?.definition;
      if (next === undefined || next === id) return { list, id, definition };
      id = next;
    }
    return null;
  };
  return memoize((id) => {
    const list = lists.get(id);
    return list === undefined ? null : find(list);
  });
}

const levelOf = ({ list, definition }: UsedList, at: number): Level | undefined =>
  list.levels.get(at) ?? definition.levels.get(at);
const startOf = (used: UsedList, at: number): number => used.list.starts.get(at) ?? levelOf(used, at)?.start ?? 1;

/** The level of a paragraph in its list: the one linked to its style, else the requested one. */
function levelFor({ definition }: UsedList, { level, styles }: ListMark): number {
  for (const [at, { style }] of definition.levels) if (style !== '' && styles.includes(style)) return at;
  return level ?? 0;
}

/**
 * Counts an item of a level: `numbers` are those of all levels, `restarts` tells whether the level starts a new count.
 */
function count(used: UsedList, numbers: (number | undefined)[], at: number, restarts: boolean): void {
  // Skipped levels count as if they had an item.
  for (let outer = 0; outer < at; outer++) numbers[outer] ??= startOf(used, outer);
  const before = numbers[at];
  numbers[at] = before === undefined || restarts ? startOf(used, at) : before + 1;
  for (let deeper = at + 1; deeper <= deepestLevel; deeper++) {
    if (at < (levelOf(used, deeper)?.restart ?? deeper)) numbers[deeper] = undefined;
  }
}

/**
 * Reads the lists of a Word file (ECMA-376 part 1, 17.9). Word stores no numbers with paragraphs, so they are counted
 * while the file is read.
 */
export async function readNumbering(
  archive: Archive,
  part: string | null,
  styles: WordStyles,
  warn: ReportWarning,
): Promise<WordNumbering> {
  if (part === null) return { counting: () => () => '' };
  const isEnglish = /^en\b/i.test(styles.language);
  const listNamed = listFinder(await readLists(archive, part, warn), styles);

  const counting = (): NumberParagraph => {
    const counts = new Map<string, (number | undefined)[]>();
    /** List levels that already had an item: a list instance's own start value applies to the first one. */
    const begun = new Set<string>();
    return (mark, text) => {
      const used = mark.list === null ? null : listNamed(mark.list);
      if (used === null) return '';
      const at = levelFor(used, mark);
      const numbers = counts.get(used.id) ?? [];
      counts.set(used.id, numbers);
      const first = `${mark.list} ${at}`;
      count(used, numbers, at, used.list.starts.has(at) && !begun.has(first));
      begun.add(first);
      const level = levelOf(used, at);
      if (level === undefined || level.isHidden || level.format === 'bullet' || (text === '' && !hasWords(level.text)))
        return '';
      const number = level.text
        .replace(placeholder, (_, digit: string) => {
          const of = Number(digit) - 1;
          const { format, pattern } = levelOf(used, of) ?? level;
          return numberText(numbers[of] ?? startOf(used, of), {
            format: level.isLegal && !neverLegal.has(format) ? 'decimal' : format,
            pattern,
            isEnglish,
          });
        })
        .slice(0, longestNumber)
        .trim();
      return number === '' || level.suffix === 'nothing' ? number : `${number} `;
    };
  };
  return { counting };
}
