import { TextDecoder } from 'node:util';
import { joinWhiteSpace } from '../clean.ts';
import { encodingOf } from '../html-charset.ts';
import { ShallowParser } from '../html-parser.ts';
import type { SourceFile } from '../reader.ts';
import { startOf } from '../source-bytes.ts';

/** Of a larger page only the start is looked at. */
const lookedAtBytes = 16 * 1024 * 1024;
const longestTitle = 300;
/** Titles that tools give where the author gave none. */
const givenByTools =
  /^(untitled( (document|page))?|(new |neue |nouvelle )?(document|page|seite|slide|title|titel|titre)( ?\d+)?|index|home|default|content|course|player|scorm( \S+)?|loading\W*|\S*\.x?html?)$/i;

/** What a page says about itself. */
export interface PageHead {
  /** Its `<title>`; null for none and for one that no author gave. */
  title: string | null;
  /** Its first heading. */
  heading: string | null;
  /** Scripts in it, in their order. */
  scripts: string[];
}

/** A script of JavaScript or of data in the page itself. */
const isInline = ({ src, type = '' }: Readonly<Record<string, string>>): boolean =>
  src === undefined && (type === '' || /javascript|json|module/i.test(type));

/** Looks at the title, the first heading and the scripts of a page. */
export async function pageHead(file: SourceFile): Promise<PageHead> {
  const start = await startOf(file, Math.min(file.bytes, lookedAtBytes));
  const text = new TextDecoder(await encodingOf(file)).decode(start);
  const scripts: string[] = [];
  const found: { title: string | null; heading: string | null } = { title: null, heading: null };
  let into: 'title' | 'heading' | 'script' | null = null;
  let gathered = '';
  let depth = 0;
  const parser = new ShallowParser(
    {
      onopentag: (name, attributes) => {
        depth++;
        if (name === 'script' && isInline(attributes)) into = 'script';
        else if (into === null && name === 'title' && found.title === null) into = 'title';
        else if (into === null && /^h[1-6]$/.test(name) && found.heading === null) into = 'heading';
        else return;
        gathered = '';
      },
      ontext: (data) => {
        if (into === 'script' || (into !== null && gathered.length < longestTitle * 4)) gathered += data;
      },
      onclosetag: (name) => {
        depth--;
        if (into === 'script' && name === 'script') scripts.push(gathered);
        else if (into === 'title' && name === 'title') found.title = joinWhiteSpace(gathered);
        else if (into === 'heading' && /^h[1-6]$/.test(name)) found.heading = joinWhiteSpace(gathered) || null;
        else return;
        into = null;
      },
    },
    false,
    () => depth,
  );
  parser.write(text);
  parser.end();
  const short = (value: string | null): string | null =>
    value === null || value === '' ? null : value.slice(0, longestTitle).toWellFormed();
  return {
    title: found.title === null || givenByTools.test(found.title) ? null : short(found.title),
    heading: short(found.heading),
    scripts,
  };
}
