import { TextDecoder } from 'node:util';
import type { Block } from '../../models/block.ts';
import { asHeading } from '../clean.ts';
import { tooComplex, unreadable } from '../../models/extraction-failure.ts';
import { encodingOf } from '../html-charset.ts';
import { readCoursePage } from '../html.ts';
import type { ExtractionLimits, FormatReader, ReadableFormat, ReportWarning, SourceFile } from '../reader.ts';
import { captionTexts } from './captions.ts';
import { pageHead } from './page-head.ts';
import { slideOfPath } from './part-kind.ts';
import type { PlannedPart, ReadingPlan } from './reading-order.ts';
import { scriptTexts } from './script-text.ts';

/** Larger scripts are libraries. */
const largestScript = 8 * 1024 * 1024;
const silent = (): void => undefined;

/** Dependencies for reading the parts of one package. */
export interface PartTools {
  limits: ExtractionLimits;
  plan: ReadingPlan;
  /** Title of the course; if a page repeats it, its heading is used as its title. */
  courseTitle: string | null;
  readerOf(format: ReadableFormat): Promise<FormatReader>;
  /** Remaining bytes of the package: of pages and other text, and of scripts. */
  left: { text: number; scripts: number };
}

/** Byte limits of one package. Real courses stay far below; without them small archives could take minutes. */
export const packageAllowance = { text: 256 * 1024 * 1024, scripts: 32 * 1024 * 1024 };

const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');

/** The title of a slide from an item of the manifest. */
function slideTitleOf(slide: number | null | undefined, { plan }: PartTools): string | null {
  return slide === null || slide === undefined ? null : (plan.slideTitles.get(slide) ?? null);
}

/** Adds the location in the package to a block. */
function placed(block: Block, part: PlannedPart, title: string, slide: number | null): Block {
  const { location, group } = block;
  return {
    ...block,
    location: { ...location, resource: part.path, title, ...(slide === null ? {} : { slide }) },
    group: `${part.path} ${group}`,
  };
}

/** The bytes of a file in memory; null if they are not in memory, or too large for course text. */
function heldContent({ content, bytes }: SourceFile): Uint8Array | null {
  return content === undefined || bytes > largestScript ? null : content;
}

/**
 * The data in a text file: JSON, such as Captivate's `project.txt`, or Base64, such as Lectora's tests, which are not
 * displayed as they are. Null for text.
 */
function dataOf(source: SourceFile): string | null {
  const content = heldContent(source);
  if (content === null) return null;
  const text = new TextDecoder().decode(content).trim();
  if (text.length > 200 && /^[A-Za-z0-9+/\r\n]+={0,2}$/.test(text)) return '';
  return /^\{\s*"[\s\S]*\}$|^\[\s*[[{"][\s\S]*\]$/.test(text) ? text : null;
}

/** Texts of a part's scripts. `fallback` is the title of scripts without one. */
function* scriptBlocks(
  script: string,
  name: string,
  part: PlannedPart,
  fallback: string,
  tools: PartTools,
): Generator<Block, void, undefined> {
  tools.left.scripts -= script.length;
  if (tools.left.scripts < 0) throw unreadable('the package has more scripts than are read');
  const ownSlide = slideOfPath(part.path);
  let heading = '';
  let section = 0;
  let lastObject = -1;
  for (const { text, isHeading, title, slide, objectId } of scriptTexts(script)) {
    if (objectId !== lastObject) heading = '';
    if (isHeading) heading = asHeading(text);
    if (objectId !== lastObject || isHeading) section++;
    lastObject = objectId;
    const number = slide ?? ownSlide;
    const named = title ?? slideTitleOf(number, tools) ?? fallback;
    yield placed(
      { text, location: heading === '' ? {} : { heading }, group: `${name} ${section}` },
      part,
      named,
      number,
    );
  }
}

async function* pageBlocks(
  part: PlannedPart,
  source: SourceFile,
  tools: PartTools,
): AsyncGenerator<Block, void, undefined> {
  const head = await pageHead(source);
  const ownSlide = slideOfPath(part.path);
  const own =
    head.title !== null && head.title.toLowerCase() === tools.courseTitle?.toLowerCase()
      ? (head.heading ?? head.title)
      : head.title;
  const named = part.title ?? slideTitleOf(ownSlide, tools) ?? own;
  const listed = part.listedUnder ?? fileName(part.path);
  const title = named ?? head.heading ?? listed;
  let slide: number | undefined;
  let slideTitle: string | null = null;
  for await (const block of readCoursePage(source, tools.limits, silent)) {
    const { slide: inside, heading } = block.location;
    if (inside !== slide)
      slideTitle = inside === undefined ? null : (heading ?? slideTitleOf(inside, tools) ?? named ?? listed);
    slide = inside;
    yield placed(block, part, slideTitle ?? title, inside ?? ownSlide);
  }
  for (const [index, script] of head.scripts.entries()) {
    if (script.length <= largestScript) yield* scriptBlocks(script, `script ${index}`, part, title, tools);
  }
}

/** Slides have their own titles; the presentation's title is searched with the first one. */
async function* presentationBlocks(
  part: PlannedPart,
  blocks: AsyncIterable<Block>,
  title: string,
): AsyncGenerator<Block, void, undefined> {
  let isFirst = true;
  for await (const block of blocks) {
    const { slide, heading } = block.location;
    yield placed(
      isFirst && heading !== undefined ? { ...block, titles: title } : block,
      part,
      heading ?? title,
      slide ?? null,
    );
    isFirst = false;
  }
}

/**
 * The blocks of one file of a package, with its path and title.
 * @throws the reader's errors; ExtractionFailure `document_too_complex` above the limits of a package.
 */
export async function* partBlocks(
  part: PlannedPart,
  source: SourceFile,
  tools: PartTools,
  warn: ReportWarning,
): AsyncGenerator<Block, void, undefined> {
  const { kind } = part;
  if (kind === 'unsupported') return;
  if (kind !== 'data' && kind !== 'pdf') tools.left.text -= source.bytes;
  if (tools.left.text < 0) throw tooComplex('the package has more text than is read');
  if (kind === 'html') {
    yield* pageBlocks(part, source, tools);
    return;
  }
  const title = part.title ?? part.listedUnder ?? fileName(part.path);
  if (kind === 'captions') {
    const content = heldContent(source);
    if (content === null) return;
    for (const text of captionTexts(new TextDecoder().decode(content)))
      yield placed({ text, location: {}, group: 'captions' }, part, title, slideOfPath(part.path));
    return;
  }
  if (kind === 'data') {
    const content = heldContent(source);
    if (content === null) return;
    yield* scriptBlocks(new TextDecoder(await encodingOf(source)).decode(content), 'script', part, title, tools);
    return;
  }
  const data = kind === 'text' ? dataOf(source) : null;
  if (data !== null) {
    yield* scriptBlocks(data, 'script', part, title, tools);
    return;
  }
  const read = await tools.readerOf(kind);
  if (kind === 'presentation') {
    yield* presentationBlocks(part, read(source, tools.limits, silent, warn), title);
    return;
  }
  for await (const block of read(source, tools.limits, silent, warn))
    yield placed(block, part, title, slideOfPath(part.path));
}
