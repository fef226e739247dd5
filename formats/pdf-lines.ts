import { DrawnTexts } from './pdf-doubles.ts';
import { joinedLetters } from './pdf-tracked.ts';

/** A text run of pdf.js, in content order, with detected spaces and line ends. */
export interface TextRun {
  str: string;
  /** Whether a line ends after it. */
  hasEOL: boolean;
  /** `rtl` for right-to-left text; `str` is in logical order. */
  dir: string;
  /** Length along its direction, and height, in page units. */
  width: number;
  height: number;
  /** Text matrix (ISO 32000-1, 8.3.3): 0 and 1 give the direction, 4 and 5 the start of the baseline. */
  transform: readonly number[];
}

/** A part of a line without wide gaps, in coordinates rotated so that it runs to the right. */
export interface Segment {
  text: string;
  /** Start and end along the line, and the position of the baseline. */
  left: number;
  right: number;
  base: number;
  /** Letter height. */
  size: number;
  /** Direction in degrees, rounded. */
  angle: number;
  rtl: boolean;
  /** Whether it is on the same line as the previous segment. */
  continues: boolean;
}

/** A wider gap, in letter heights, separates segments: columns, cells. */
const wideGap = 1.2;
/** A wider gap, in letter heights, is a space between words of a right-to-left line. */
const wordGap = 0.12;
/** A jump back by this many letter heights on the same line begins another word. */
const jumpBack = 1;

/** A run with its position, in coordinates rotated so that it runs to the right. */
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

/** Whether most letters of a line are of a right-to-left script. */
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

/** Runs of a right-to-left line in logical order; left-to-right runs within it keep their order. */
function inLogicalOrder(line: readonly Placed[]): Placed[] {
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
  for (const placed of rtl ? inLogicalOrder(line) : line) {
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
      // In left-to-right text pdf.js has inserted the spaces, except where words jump back.
      const isSeparateWord =
        (rtl ? gap > wordGap * placed.size : gap < -jumpBack * placed.size) &&
        !/\s$/.test(open.text) &&
        !/^\s/.test(placed.run.str);
      open.text += (isSeparateWord ? ' ' : '') + placed.run.str;
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

/** The segments of a page in content order; right-to-left lines are in logical order. */
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
