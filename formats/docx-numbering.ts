import type { Archive } from './archive.ts';
import { readLists } from './docx-lists.ts';
import type { Definition, Definitions, Level, List } from './docx-lists.ts';
import { numberText } from './docx-number-text.ts';
import { memoize, type ListMark, type WordStyles } from './docx-styles.ts';
import type { ReportWarning } from './reader.ts';

/** What shows the place in its list of a paragraph with a text, with the space that follows; empty if nothing does. */
export type NumberParagraph = (mark: ListMark, text: string) => string;

/** The lists of a Word file. */
export interface WordNumbering {
  /** Starts a new count, as each part of a file does. */
  counting(): NumberParagraph;
}

const deepestLevel = 8;
/** Styles of numbering that lead to one another are followed so far. */
const maxHops = 5;
/** What is shown of a number is cut behind so many characters. */
const longestNumber = 100;
/** A number of a level in its text. */
const placeholder = /%([1-9])/g;
/** Formats of outer levels that a level keeps which shows all numbers in digits. */
const shownAnyway = new Set(['none', 'decimalZero']);

/**
 * Whether a text of a level says something of its own (`Article %1`), so that it is read where nothing follows
 * it.
 */
const saysMore = (text: string): boolean => /\p{L}{2}/u.test(text.replace(placeholder, ' '));

/** A list in use, with its definition and the id of that: lists of one definition count on together. */
interface UsedList {
  list: List;
  id: string;
  definition: Definition;
}

/** The lists in use by their ids, each looked up once. Definitions that are links to a style are followed. */
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

/** The level of a paragraph in its list: that which names its style, else the one that is asked for. */
function levelFor({ definition }: UsedList, { level, styles }: ListMark): number {
  for (const [at, { style }] of definition.levels) if (style !== '' && styles.includes(style)) return at;
  return level ?? 0;
}

/** Counts an item of a level: `numbers` are those of the levels, `restarts` says that the level starts a new count. */
function count(used: UsedList, numbers: (number | undefined)[], at: number, restarts: boolean): void {
  // Levels that were left out count as if an item stood there.
  for (let outer = 0; outer < at; outer++) numbers[outer] ??= startOf(used, outer);
  const before = numbers[at];
  numbers[at] = before === undefined || restarts ? startOf(used, at) : before + 1;
  for (let deeper = at + 1; deeper <= deepestLevel; deeper++) {
    if (at < (levelOf(used, deeper)?.restart ?? deeper)) numbers[deeper] = undefined;
  }
}

/**
 * Reads the lists of a Word file (ECMA-376 part 1, 17.9). Word keeps no number with its paragraph: each is counted as
 * the file is read.
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
    /** Levels of lists that had an item: a start of a list's own counts for the first one. */
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
      if (level === undefined || level.isHidden || level.format === 'bullet' || (text === '' && !saysMore(level.text)))
        return '';
      const number = level.text
        .replace(placeholder, (_, digit: string) => {
          const of = Number(digit) - 1;
          const { format, pattern } = levelOf(used, of) ?? level;
          return numberText(numbers[of] ?? startOf(used, of), {
            format: level.isLegal && !shownAnyway.has(format) ? 'decimal' : format,
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
