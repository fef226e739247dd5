import { TextDecoder } from 'node:util';
import { joinWhiteSpace } from '../clean.ts';
import { encodingOf } from '../html-charset.ts';
import { ShallowParser } from '../html-parser.ts';
import type { SourceFile } from '../reader.ts';
import { startOf } from '../source-bytes.ts';

/** Leading bytes of a page that are examined. */
const examinedBytes = 16 * 1024 * 1024;
const longestTitle = 300;
/** Default titles of authoring tools. */
const givenByTools =
  /^(untitled( (document|page))?|(new |neue |nouvelle )?(document|page|seite|slide|title|titel|titre)( ?\d+)?|index|home|default|content|course|player|scorm( \S+)?|loading\W*|\S*\.x?html?)$/i;

/** The metadata of a page. */
export interface PageHead {
  /** Its `<title>`; null if absent or a tool's default. */
  title: string | null;
  /** Its first heading. */
  heading: string | null;
  /** Its inline scripts, in order. */
  scripts: string[];
}

/** Whether a script is inline JavaScript or data. */
const isInline = ({ src, type = '' }: Readonly<Record<string, string>>): boolean =>
  src === undefined && (type === '' || /javascript|json|module/i.test(type));

/** Reads the title, the first heading and the scripts of a page. */
export async function pageHead(file: SourceFile): Promise<PageHead> {
  const start = await startOf(file, Math.min(file.bytes, examinedBytes));
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
