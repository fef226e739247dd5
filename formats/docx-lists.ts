import type { Archive } from './archive.ts';
import { isOn, listLevel } from './docx-styles.ts';
import { isUnreadable } from '../models/extraction-failure.ts';
import type { ReportWarning } from './reader.ts';
import { walkWholeXml } from './xml.ts';

/** How a level of a list is numbered (ECMA-376 part 1, 17.9.6). */
export interface Level {
  start: number;
  format: string;
  /** Pattern of the format `custom`. */
  pattern: string;
  /** The displayed text, with `%1` for the number of the first level, and so on. */
  text: string;
  /** The separator between the number and its paragraph. */
  suffix: string;
  /** The level whose items restart this level's numbers, counted from 1; 0 for none. */
  restart: number;
  /** Whether all numbers are displayed in digits. */
  isLegal: boolean;
  isHidden: boolean;
  /** The paragraph style whose paragraphs are items of this level. */
  style: string;
}

/** The definition of a list (`abstractNum`). List instances (`num`) of one definition share a count. */
export interface Definition {
  levels: Map<number, Level>;
  /** The numbering style that holds the actual definition. */
  styleLink: string | null;
}

/** A list instance, with its overrides of the definition. */
export interface List {
  definition: string;
  starts: Map<number, number>;
  levels: Map<number, Level>;
}

/** Maximum number of definitions and of list instances. */
const maxLists = 20_000;
/** Maximum length of a level's text. */
const longestText = 100;
/** Numbers in symbol fonts. */
const privateUse = /[\ue000-\uf8ff]/g;

const numberOf = (value: string | undefined, otherwise: number): number => {
  const number = Number(value);
  return value !== undefined && Number.isSafeInteger(number) && Math.abs(number) <= 0x7fff_ffff ? number : otherwise;
};

/** The lists of a Word file by their ids. */
export interface Definitions {
  definitions: Map<string, Definition>;
  lists: Map<string, List>;
}

/** Reads the lists of a Word file. A broken part yields the lists before the error, with a warning. */
export async function readLists(archive: Archive, part: string, warn: ReportWarning): Promise<Definitions> {
  const definitions = new Map<string, Definition>();
  const lists = new Map<string, List>();
  let definition: Definition | null = null;
  let list: List | null = null;
  let overridden = 0;
  let level: Level | null = null;
  const walk = walkWholeXml(archive.read(part), {
    open: (name, attributes) => {
      const { val } = attributes;
      switch (name) {
        case 'abstractNum':
          definition = { levels: new Map(), styleLink: null };
          if (definitions.size < maxLists) definitions.set(attributes['abstractNumId'] ?? '', definition);
          break;
        case 'numStyleLink':
          if (definition !== null) definition.styleLink = val ?? null;
          break;
        case 'num':
          definition = null;
          list = { definition: '', starts: new Map(), levels: new Map() };
          if (lists.size < maxLists) lists.set(attributes['numId'] ?? '', list);
          break;
        case 'abstractNumId':
          if (list !== null) list.definition = val ?? '';
          break;
        case 'lvlOverride':
          overridden = listLevel(attributes['ilvl']);
          break;
        case 'startOverride':
          list?.starts.set(overridden, numberOf(val, 0));
          break;
        case 'lvl': {
          const at = listLevel(attributes['ilvl']);
          level = {
            start: 0,
            format: 'decimal',
            pattern: '',
            text: '',
            suffix: 'tab',
            restart: at,
            isLegal: false,
            isHidden: false,
            style: '',
          };
          (definition ?? list)?.levels.set(at, level);
          break;
        }
        default:
          if (level !== null) describe(level, name, attributes);
      }
    },
    close: (name) => {
      if (name === 'lvl') level = null;
      else if (name === 'abstractNum') definition = null;
      else if (name === 'num') list = null;
    },
  });
  try {
    await walk;
  } catch (error) {
    // Text without list numbers is better than none; keep the numbers that were read.
    if (!isUnreadable(error)) throw error;
    warn({ code: 'list_numbers_unread', detail: `Numbers of lists could not be read: ${part}.` });
  }
  return { definitions, lists };
}

/** Applies an element within a level to the level. */
function describe(level: Level, name: string, attributes: Readonly<Record<string, string>>): void {
  const { val } = attributes;
  if (name === 'start') level.start = numberOf(val, 0);
  // Alternatives of a format: current Word displays the first one.
  else if (name === 'numFmt' && level.pattern === '')
    Object.assign(level, { format: val ?? 'decimal', pattern: attributes['format'] ?? '' });
  else if (name === 'lvlText') level.text = (val ?? '').replace(privateUse, '').slice(0, longestText);
  else if (name === 'suff') level.suffix = val ?? 'tab';
  else if (name === 'lvlRestart') level.restart = numberOf(val, level.restart);
  else if (name === 'isLgl') level.isLegal = isOn(val);
  else if (name === 'vanish') level.isHidden = isOn(val);
  else if (name === 'pStyle') level.style = val ?? '';
}
