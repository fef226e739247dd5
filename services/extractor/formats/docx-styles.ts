import type { Archive } from './archive.ts';
import { walkWholeXml } from './xml.ts';

/** What the styles of a Word file tell of what is written in them. */
export interface WordStyles {
  /** Whether a paragraph style makes headings: by its outline level, or by its built-in name (`heading 1`, `Title`). */
  isHeading(styleId: string): boolean;
  /** Whether text in a style of paragraphs or characters is hidden. */
  isHidden(styleId: string): boolean;
}

interface Style {
  outlined: boolean | null;
  hidden: boolean | null;
  basedOn: string | null;
}

/** Styles that are based on one another are followed so far. */
const mostHops = 20;

/** Whether a property of text that is on or off is on (ECMA-376 part 1, 17.17.4). */
export const isOn = (value: string | undefined): boolean => value === undefined || !/^(0|false|off)$/.test(value);

/** Answers a question about styles, each style once. */
function remembered(answer: (styleId: string) => boolean): (styleId: string) => boolean {
  const known = new Map<string, boolean>();
  return (styleId) => {
    const before = known.get(styleId);
    if (before !== undefined) return before;
    const told = answer(styleId);
    known.set(styleId, told);
    return told;
  };
}

/** Reads the styles, each with what it has of those that it is based on. Without a part the built-in ids count. */
export async function readStyles(archive: Archive, part: string | null): Promise<WordStyles> {
  const styles = new Map<string, Style>();
  if (part !== null) {
    let style: Style = { outlined: null, hidden: null, basedOn: null };
    let isOfParagraphs = false;
    await walkWholeXml(archive.read(part), {
      open: (name, attributes) => {
        const { val = '' } = attributes;
        if (name === 'style') {
          const { type = 'paragraph' } = attributes;
          isOfParagraphs = type === 'paragraph';
          style = { outlined: null, hidden: null, basedOn: null };
          if (isOfParagraphs || type === 'character') styles.set(attributes['styleId'] ?? '', style);
        } else if (name === 'basedOn') style.basedOn = val;
        else if (name === 'vanish') style.hidden = isOn(attributes['val']);
        else if (name === 'outlineLvl' && isOfParagraphs) style.outlined = Number(val) < 9;
        else if (name === 'name' && isOfParagraphs && /^(heading \d|title)$/i.test(val)) style.outlined ??= true;
      },
      close: () => undefined,
    });
  }
  const inherited = (property: 'outlined' | 'hidden', unknown: (styleId: string) => boolean | null): ((styleId: string) => boolean) => remembered((styleId) => {
    let told: boolean | null = null;
    let at: string | null = styleId;
    for (let hops = 0; hops < mostHops && at !== null && told === null; hops++) {
      const style: Style | undefined = styles.get(at);
      told = style === undefined ? unknown(at) : style[property];
      at = style?.basedOn ?? null;
    }
    return told ?? false;
  });
  return { isHeading: inherited('outlined', (styleId) => /^(heading ?\d|title)$/i.test(styleId) ? true : null), isHidden: inherited('hidden', () => null) };
}
