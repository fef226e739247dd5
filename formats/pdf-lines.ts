import { DrawnTexts } from './pdf-doubles.ts';
import { joinedLetters } from './pdf-tracked.ts';

/** A run of text of a page as pdf.js gives it: in the order of the page's content, spaces and line ends found. */
export interface TextRun {
  str: string;
  /** Whether a line ends after it. */
  hasEOL: boolean;
  /** `rtl` for a run that is read from right to left; its `str` is in the order of speech. */
  dir: string;
  /** Length along its direction, and height, in units of the page. */
  width: number;
  height: number;
  /** Six numbers (ISO 32000-1, 8.3.3): 0 and 1 give the direction, 4 and 5 the start of its base line. */
  transform: readonly number[];
}

/** A stretch of a line without a wide gap, in coordinates turned so that it runs to the right. */
export interface Segment {
  text: string;
  /** Start and end along the line, and the height of its base line. */
  left: number;
  right: number;
  base: number;
  /** Height of its letters. */
  size: number;
  /** Direction in degrees, rounded. */
  angle: number;
  rtl: boolean;
  /** Stands on the same line as the segment before it. */
  continues: boolean;
}

/** A gap of more letter heights than this parts segments: columns, cells. */
const wideGap = 1.2;
/** A gap of more letter heights than this is a space between words of a line that runs to the left. */
const wordGap = 0.12;
/** So many letter heights back on the same line begin another word. */
const jumpBack = 1;

/** A run at its place, in coordinates turned so that it runs to the right. */
export interface Placed {
  run: TextRun;
  left: number;
  right: number;
  base: number;
  size: number;
  angle: number;
}

function place(run: TextRun): Placed {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = run.transform;
  const length = Math.hypot(a, b) || 1;
  const [cos, sin] = [a / length, b / length];
  const left = x * cos + y * sin;
  return {
    run,
    left,
    right: left + run.width,
    base: y * cos - x * sin,
    size: run.height || Math.hypot(c, d) || length,
    angle: Math.round((Math.atan2(sin, cos) * 180) / Math.PI),
  };
}

const isBlank = ({ run }: Placed): boolean => run.str.trim() === '';
const strongRtl = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/g;

/** Whether most letters of a line are of a script that runs to the left. */
function runsLeft(line: readonly Placed[]): boolean {
  let rtl = 0;
  let all = 0;
  for (const {
    run: { str, dir },
  } of line) {
    if (dir === 'ltr' && rtl === 0 && all > 200) return false;
    rtl += str.match(strongRtl)?.length ?? 0;
    all += str.length;
  }
  return rtl * 2 > all;
}

/** Runs of a right-to-left line from right to left; those of another direction inside it, in theirs. */
function inOrderOfSpeech(line: readonly Placed[]): Placed[] {
  const ordered = line.filter((placed) => !isBlank(placed)).toSorted((a, b) => b.right - a.right);
  const result: Placed[] = [];
  let turned: Placed[] = [];
  for (const placed of ordered) {
    if (placed.run.dir === 'ltr' && /[\p{L}\p{N}]/u.test(placed.run.str)) {
      turned.push(placed);
      continue;
    }
    result.push(...turned.toReversed(), placed);
    turned = [];
  }
  return [...result, ...turned.toReversed()];
}

function segmentsOfLine(line: readonly Placed[]): Segment[] {
  const rtl = runsLeft(line);
  const segments: Segment[] = [];
  let open: Segment | null = null;
  let last: Placed | undefined;
  for (const placed of rtl ? inOrderOfSpeech(line) : line) {
    if (isBlank(placed)) {
      if (open !== null && placed.run.str !== '') open.text += ' ';
      continue;
    }
    const gap =
      last === undefined
        ? 0
        : rtl
          ? Math.max(last.left - placed.right, placed.left - last.right)
          : placed.left - last.right;
    if (
      open !== null &&
      last !== undefined &&
      last.angle === placed.angle &&
      gap < wideGap * placed.size &&
      gap > -wideGap * placed.size * 3
    ) {
      // To the right pdf.js has put the spaces; words that jump back it leaves without.
      const apart =
        (rtl ? gap > wordGap * placed.size : gap < -jumpBack * placed.size) &&
        !/\s$/.test(open.text) &&
        !/^\s/.test(placed.run.str);
      open.text += (apart ? ' ' : '') + placed.run.str;
      open.left = Math.min(open.left, placed.left);
      open.right = Math.max(open.right, placed.right);
      open.size = Math.max(open.size, placed.size);
    } else {
      open = {
        text: placed.run.str,
        left: placed.left,
        right: placed.right,
        base: placed.base,
        size: placed.size,
        angle: placed.angle,
        rtl,
        continues: segments.length > 0,
      };
      segments.push(open);
    }
    last = placed;
  }
  return segments;
}

/**
 * The segments of a page in the order of its content, lines of right-to-left scripts turned into the order of speech.
 */
export function segmentsOf(runs: readonly TextRun[]): Segment[] {
  const segments: Segment[] = [];
  let line: Placed[] = [];
  const endLine = (): void => {
    if (line.length > 0) for (const segment of segmentsOfLine(line)) segments.push(segment);
    line = [];
  };
  const drawn = new DrawnTexts();
  for (const run of runs) {
    const placed = place({ ...run, str: joinedLetters(run.str) });
    if (run.str !== '' && (isBlank(placed) || !drawn.isAgain(placed))) line.push(placed);
    if (run.hasEOL) endLine();
  }
  endLine();
  return segments;
}
