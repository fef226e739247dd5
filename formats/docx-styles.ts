import type { Archive } from './archive.ts';
import { walkWholeXml } from './xml.ts';

/** A paragraph's position in a list: from its own properties, or those of its style. */
export interface ListMark {
  /** The list (`numId`), or null. */
  list: string | null;
  /** The level in the list, from 0; null if not given. */
  level: number | null;
  /** The styles that contributed list and level: a level may be linked to one of them. */
  styles: readonly string[];
}

/** The styles of a Word file. */
export interface WordStyles {
  /** Whether a paragraph style is a heading: by its outline level, or by its built-in name (`heading 1`, `Title`). */
  isHeading(styleId: string): boolean;
  /** Whether text in a style of paragraphs or characters is hidden. */
  isHidden(styleId: string): boolean;
  /** Whether a paragraph style is that of captions of tables and figures (`caption`). */
  isCaption(styleId: string): boolean;
  /** Whether a paragraph style is that of tables of contents or figures (`toc 1`). */
  isContents(styleId: string): boolean;
  /** The list to which paragraphs of a style belong. */
  listOf(styleId: string): ListMark;
  /** Default language of the text (`en-US`); empty if not given. */
  language: string;
}

interface Style {
  /** The built-in name, which is English in every language. */
  name: string | null;
  outlined: boolean | null;
  hidden: boolean | null;
  basedOn: string | null;
  list: string | null;
  level: number | null;
}

/** Maximum length of a chain of base styles. */
const maxHops = 20;

/** The value of an on/off property (ECMA-376 part 1, 17.17.4). */
export const isOn = (value: string | undefined): boolean => value === undefined || !/^(0|false|off)$/.test(value);

/** A list level in an attribute, from 0 to 8. */
export const listLevel = (value: string | undefined): number =>
  Math.max(0, Math.min(8, Math.trunc(Number(value)) || 0));

const emptyStyle = (): Style => ({ name: null, outlined: null, hidden: null, basedOn: null, list: null, level: null });

/** Memoizes a lookup by id. */
export function memoize<Answer>(answer: (id: string) => Answer): (id: string) => Answer {
  const known = new Map<string, Answer>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const found = answer(id);
    known.set(id, found);
    return found;
  };
}

/** Reads the styles with their inherited properties. Without a styles part, the built-in ids apply. */
export async function readStyles(archive: Archive, part: string | null): Promise<WordStyles> {
  const styles = new Map<string, Style>();
  let language = '';
  if (part !== null) {
    let style = emptyStyle();
    let isOfParagraphs = false;
    let inDefaults = false;
    await walkWholeXml(archive.read(part), {
      open: (name, attributes) => {
        const { val = '' } = attributes;
        if (name === 'style') {
          const { type = 'paragraph' } = attributes;
          isOfParagraphs = type === 'paragraph';
          style = emptyStyle();
          if (isOfParagraphs || type === 'character' || type === 'numbering')
            styles.set(attributes['styleId'] ?? '', style);
        } else if (name === 'docDefaults') inDefaults = true;
        else if (name === 'lang' && inDefaults) language = val;
        else if (name === 'basedOn') style.basedOn = val;
        else if (name === 'numId') style.list = val;
        else if (name === 'ilvl') style.level = listLevel(val);
        else if (name === 'vanish') style.hidden = isOn(attributes['val']);
        else if (name === 'outlineLvl' && isOfParagraphs) style.outlined = Number(val) < 9;
        else if (name === 'name' && isOfParagraphs) {
          style.name = val;
          if (/^(heading \d|title)$/i.test(val)) style.outlined ??= true;
        }
      },
      close: (name) => {
        if (name === 'docDefaults') inDefaults = false;
      },
    });
  }
  const inherited = (
    property: 'outlined' | 'hidden',
    unknown: (styleId: string) => boolean | null,
  ): ((styleId: string) => boolean) =>
    memoize((styleId) => {
      let found: boolean | null = null;
      let at: string | null = styleId;
      for (let hops = 0; hops < maxHops && at !== null && found === null; hops++) {
        const style: Style | undefined = styles.get(at);
        found = style === undefined ? unknown(at) : style[property];
        at = style?.basedOn ?? null;
      }
      return found ?? false;
    });
  /** Whether a style, or one that it is based on, has such a built-in name. */
  const named = (pattern: RegExp): ((styleId: string) => boolean) =>
    memoize((styleId) => {
      let at: string | null = styleId;
      for (let hops = 0; hops < maxHops && at !== null; hops++) {
        const style: Style | undefined = styles.get(at);
        if (pattern.test(style?.name ?? at)) return true;
        at = style?.basedOn ?? null;
      }
      return false;
    });
  const listOf = memoize((styleId): ListMark => {
    const passed: string[] = [];
    let level: number | null = null;
    let at: string | null = styleId;
    for (let hops = 0; hops < maxHops && at !== null; hops++) {
      const style: Style | undefined = styles.get(at);
      if (level === null) passed.push(at);
      level ??= style?.level ?? null;
      if (style !== undefined && style.list !== null) return { list: style.list, level, styles: passed };
      at = style?.basedOn ?? null;
    }
    return { list: null, level, styles: [] };
  });
  return {
    isHeading: inherited('outlined', (styleId) => (/^(heading ?\d|title)$/i.test(styleId) ? true : null)),
    isHidden: inherited('hidden', () => null),
    isCaption: named(/^caption$/i),
    isContents: named(/^(toc ?\d|table ?of ?figures)$/i),
    listOf,
    language,
  };
}
