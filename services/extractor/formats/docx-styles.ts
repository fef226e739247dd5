import type { Archive } from './archive.ts';
import { walkWholeXml } from './xml.ts';

interface Style {
  outlined: boolean | null;
  basedOn: string | null;
}

/**
 * Ids of the paragraph styles that make headings: by their outline level, by their built-in names (`heading 1`, `Title`),
 * or by the style that they are based on. Without styles the built-in ids count.
 */
export async function headingStyles(archive: Archive, part: string | null): Promise<(styleId: string) => boolean> {
  const styles = new Map<string, Style>();
  if (part !== null) {
    let id = '';
    let style: Style = { outlined: null, basedOn: null };
    await walkWholeXml(archive.read(part), {
      open: (name, attributes) => {
        const { val = '' } = attributes;
        if (name === 'style') {
          id = attributes['styleId'] ?? '';
          style = { outlined: null, basedOn: null };
          if (attributes['type'] === undefined || attributes['type'] === 'paragraph') styles.set(id, style);
        } else if (name === 'basedOn') style.basedOn = val;
        else if (name === 'outlineLvl') style.outlined = Number(val) < 9;
        else if (name === 'name' && /^(heading \d|title)$/i.test(val)) style.outlined ??= true;
      },
      close: () => undefined,
    });
  }
  const known = new Map<string, boolean>();
  return (styleId) => {
    const before = known.get(styleId);
    if (before !== undefined) return before;
    let outlined: boolean | null = null;
    let at: string | null = styleId;
    for (let hops = 0; hops < 20 && at !== null && outlined === null; hops++) {
      const style: Style | undefined = styles.get(at);
      outlined = style?.outlined ?? (style === undefined && /^(heading ?\d|title)$/i.test(at) ? true : null);
      at = style?.basedOn ?? null;
    }
    known.set(styleId, outlined ?? false);
    return outlined ?? false;
  };
}
