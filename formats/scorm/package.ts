import type { Block } from '../../models/block.ts';
import type { JobErrorCode } from '../../models/errors.ts';
import type { Archive } from '../archive.ts';
import { openArchive } from '../archive.ts';
import { encrypted, ExtractionFailure, unreadable } from '../../models/extraction-failure.ts';
import type {
  ExtractionLimits,
  FormatReader,
  ReadableFormat,
  ReportShare,
  ReportWarning,
  SourceFile,
} from '../reader.ts';
import { readManifest } from './manifest-reader.ts';
import { packageAllowance, partBlocks } from './part-reader.ts';
import type { PlannedPart } from './reading-order.ts';
import { planReading } from './reading-order.ts';

/** Maximum number of files that a warning names; it counts the others. */
const namedFiles = 5;
/** Maximum length of the titles of a block. */
const longestTitles = 4000;

/** The unread parts of a package. */
interface Gaps {
  /** Unreadable files, each with its own failure code. */
  unread: { path: string; code: JobErrorCode | 'unsupported' }[];
  /** Partly unreadable files. */
  partly: Set<string>;
  /** Pages and documents without any text. */
  textless: string[];
  /** Whether the archive itself is damaged. */
  archiveIsBroken: boolean;
}

/**
 * The path of the manifest: at the top level as required, or in a single top-level folder.
 * @throws ExtractionFailure `not_a_scorm_package` if there is none.
 */
function manifestName(archive: Archive): string {
  const atTop = archive.find('imsmanifest.xml');
  if (atTop !== null) return atTop;
  const [inFolder, ...others] = archive
    .names()
    .filter((name) => /^[^/]+\/imsmanifest\.xml$/i.test(name) && !name.startsWith('__MACOSX/'));
  if (inFolder === undefined || others.length > 0)
    throw new ExtractionFailure('not_a_scorm_package', 'the archive has no imsmanifest.xml');
  return inFolder;
}

function list(paths: readonly string[]): string {
  const named = paths.slice(0, namedFiles).join(', ');
  return paths.length > namedFiles ? `${named} and ${paths.length - namedFiles} more` : named;
}

function warnOf(gaps: Gaps, dangling: number, brokenBy: string | null, warn: ReportWarning): void {
  if (brokenBy !== null)
    warn({
      code: 'package_manifest_broken',
      detail:
        'The manifest is not well formed. The part before the error was followed, and all other pages were read in path order.',
    });
  if (dangling > 0)
    warn({
      code: 'package_items_lead_nowhere',
      detail: `Items of the manifest that refer to nothing in the package: ${dangling}.`,
    });
  if (gaps.unread.length > 0)
    warn({
      code: 'package_files_unread',
      detail: `Files of the package that could not be read: ${list(gaps.unread.map(({ path, code }) => `${path} (${code})`))}.`,
    });
  if (gaps.partly.size > 0)
    warn({
      code: 'package_files_partly_unread',
      detail: `Files of the package of which parts could not be read: ${list([...gaps.partly])}.`,
    });
  if (gaps.textless.length > 0)
    warn({
      code: 'package_files_without_text',
      detail: `Files of the package without text: ${list(gaps.textless)}.`,
    });
}

/** The failure code of a part; rethrows errors that concern the whole package. */
function partFailure(error: unknown): JobErrorCode {
  if (error instanceof ExtractionFailure) {
    if (error.code === 'document_too_complex') throw error;
    return error.code;
  }
  // Running out of memory is a failure of the process, not of the part.
  if (error instanceof RangeError) throw error;
  return 'document_unreadable';
}

async function sourceOf(archive: Archive, part: PlannedPart, gaps: Gaps): Promise<SourceFile | null> {
  try {
    const source = await archive.source(part.path);
    if (source === null) gaps.unread.push({ path: part.path, code: 'document_too_complex' });
    return source;
  } catch (error) {
    gaps.unread.push({ path: part.path, code: partFailure(error) });
    gaps.archiveIsBroken = true;
    return null;
  }
}

/** Adds to the first block of a page, slide, module or course its title, so that it can be found by it. */
function titled(): (block: Block, part: PlannedPart) => Block {
  let last: PlannedPart | null = null;
  let lastTitle: string | undefined;
  return (block, part) => {
    const { title } = block.location;
    const titles = [
      ...(part === last ? [] : part.begins),
      ...(title === undefined || title === lastTitle ? [] : [title]),
      ...(block.titles === undefined ? [] : [block.titles]),
    ];
    last = part;
    lastTitle = title;
    return titles.length === 0 ? block : { ...block, titles: titles.join('\n').slice(0, longestTitles).toWellFormed() };
  };
}

/** Creates a reader of SCORM packages from readers for their documents. */
export function packageReader(
  readerOf: (format: ReadableFormat) => Promise<FormatReader>,
  allowance = packageAllowance,
): FormatReader {
  async function* parts(
    archive: Archive,
    limits: ExtractionLimits,
    report: ReportShare,
    warn: ReportWarning,
  ): AsyncGenerator<Block, void, undefined> {
    const name = manifestName(archive);
    if (archive.isEncrypted(name)) throw encrypted('the manifest is encrypted');
    const { manifest, brokenBy } = await readManifest(archive, name);
    if (manifest === null)
      throw new ExtractionFailure('not_a_scorm_package', 'imsmanifest.xml is not a course manifest');
    const plan = planReading(archive, name.slice(0, name.lastIndexOf('/') + 1), manifest);
    const locked = plan.parts.find(({ path }) => archive.isEncrypted(path));
    if (locked !== undefined) throw encrypted(`${locked.path} is encrypted`);
    const tools = {
      limits,
      plan,
      courseTitle: manifest.organizations[0]?.title ?? null,
      readerOf,
      left: { ...allowance },
    };
    const gaps: Gaps = { unread: [], partly: new Set(), textless: [], archiveIsBroken: false };
    const total = plan.parts.reduce((sum, { path }) => sum + archive.size(path), 1);
    const withTitles = titled();
    let done = 0;
    let written = 0;
    for (const part of plan.parts) {
      const before = written;
      let failed = part.kind === 'unsupported';
      if (failed) gaps.unread.push({ path: part.path, code: 'unsupported' });
      const source = failed ? null : await sourceOf(archive, part, gaps);
      try {
        if (source !== null) {
          for await (const block of partBlocks(part, source, tools, () => gaps.partly.add(part.path))) {
            written++;
            yield withTitles(block, part);
          }
        }
      } catch (error) {
        failed = true;
        gaps.unread.push({ path: part.path, code: partFailure(error) });
      }
      if (source !== null && !failed && written === before && part.kind !== 'data' && part.kind !== 'captions')
        gaps.textless.push(part.path);
      done += archive.size(part.path);
      report(done / total);
    }
    if (written === 0)
      throw gaps.archiveIsBroken
        ? unreadable('no file of the package can be unpacked')
        : new ExtractionFailure('document_empty', 'nothing in the package has text');
    warnOf(gaps, plan.dangling, brokenBy, warn);
  }

  return async function* (file, limits, report, warn = () => undefined) {
    const archive = await openArchive({ ...file, budget: file.budget ?? { bytes: limits.maxArchiveBytes } }, limits);
    try {
      yield* parts(archive, limits, report, warn);
    } finally {
      archive.close();
    }
  };
}
