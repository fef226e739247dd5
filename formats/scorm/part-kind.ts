import { formatOf } from '../../models/formats.ts';
import type { ReadableFormat } from '../reader.ts';

/**
 * The kind of a package's file: a document format, `data` (a script or JSON file that may hold a player's text),
 * `captions` of media, `unsupported` (a document that is reported but not read), null for files without course text.
 */
export type PartKind = Exclude<ReadableFormat, 'package'> | 'data' | 'captions' | 'unsupported';

const unsupported = /\.(doc|ppt|pps|xls|rtf|odt|odp|ods|epub|swf)$/i;
/** Office files that are only read within a package: presentations, and those with macros. */
const presentation = /\.(pptx|ppsx|pptm|ppsm)$/i;
const withMacros: Readonly<Record<string, 'docx' | 'xlsx'>> = { docm: 'docx', xlsm: 'xlsx' };
/** Leftovers of tools and operating systems. */
const leftBehind = /(^|\/)(\.[^/]*|__MACOSX|thumbs\.db)(\/|$)/i;
/** Terms of use in the program folders of a tool. */
const programFolder = /(^|\/)(lms|scormdriver|lib|libs|libraries|vendor)\//i;
const terms = /(^|\/)licen[cs]e[^/]*\.(txt|md|html?)$/i;
/** Scripts and data of libraries and player user interfaces. */
const libraryData =
  /(^|\/)(node_modules|i18n|locales?|lang|languages?|libraries)\/|(^|\/)(jquery|bootstrap|react|angular|vue|lodash|underscore|modernizr|require|scormdriver|apiwrapper|swfobject|mathjax|video|howler|gsap|tweenmax|createjs|hammer|mediaelement|trivantis|common_i18n|[^/]*polyfill)[^/]*\.js$|(^|\/)(package|package-lock|library|semantics|tsconfig|manifest|bower|theme|fonts\/selection)\.json$|[.-]min\.js$|\.schema\.json$/i;
/** The program folder of Articulate Rise; next to it is the author's text, one script for each language. */
const riseProgram = /(^|\/)(scorm)?content\/lib\/((rise|mondrian)\/|main\.bundle\.js$)/i;
const riseCourse = /(^|\/)(scorm)?content\/locales\/[^/]+\.js$/i;
/** Duplicates of slide texts: Storyline's drawings line by line; Lectora's layouts for other devices. */
const drawnAgain = /(^|\/)html5\/data\/js\/paths\.js$|(^|\/)device_(phone|tablet)[a-z]*\/[^/]+\.js$/i;

const holdsData = (path: string): boolean =>
  /\.(js|json)$/i.test(path) &&
  (riseCourse.test(path) || !(libraryData.test(path) || riseProgram.test(path) || drawnAgain.test(path)));

/** Maximum path length (PATH_MAX of Linux). */
const maxPath = 4096;

/** The kind of a package's file, by its name. */
export function kindOfPart(path: string): PartKind | null {
  if (path.length > maxPath || leftBehind.test(path) || (terms.test(path) && programFolder.test(path))) return null;
  const format = formatOf(path, 'document');
  if (format !== null) return format === 'package' ? null : format;
  if (unsupported.test(path)) return 'unsupported';
  if (presentation.test(path)) return 'presentation';
  const macros = withMacros[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
  if (macros !== undefined) return macros;
  if (/\.(vtt|srt)$/i.test(path)) return 'captions';
  return holdsData(path) ? 'data' : null;
}

/** The slide number in a file's name or folder (`slide12.html`, `slides/12.js`, `slide_3/index.html`), or null. */
export function slideOfPath(path: string): number | null {
  const segments = path.split('/');
  for (const [at, segment] of [...segments.entries()].toReversed()) {
    const named = /(?:^|[^a-z])slide[ _-]?0*(\d{1,5})(?!\d)/i.exec(segment)?.[1];
    if (named !== undefined) return Number(named);
    const numbered = /^slides?$/i.test(segments[at - 1] ?? '') ? /^0*(\d{1,5})(?!\d)/.exec(segment)?.[1] : undefined;
    if (numbered !== undefined) return Number(numbered);
  }
  return null;
}
