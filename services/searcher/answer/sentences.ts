import { endsWithItsLine, lineAt } from '../snippet.ts';

/** A sentence of a text, in UTF-16 offsets, end exclusive, without white space around it. */
export interface Sentence {
  start: number;
  end: number;
}

/** Segmenters by language: passages have few languages, and creating a segmenter is slower than using it. */
const segmenters = new Map<string, Intl.Segmenter>();
const maxSegmenters = 100;

function segmenterOf(language: string): Intl.Segmenter {
  const known = segmenters.get(language);
  if (known !== undefined) return known;
  const made = new Intl.Segmenter(/^[a-z]{2,3}$/.test(language) ? language : 'en', { granularity: 'sentence' });
  if (segmenters.size < maxSegmenters) segmenters.set(language, made);
  return made;
}

/**
 * Ends of segments that do not end a sentence: one letter with a dot (initials, `z. B.`), and common abbreviations
 * before a name or number in languages of Latin script.
 */
const goesOn =
  /(?:^|[\s(.])(?:\p{L}|dr|mr|mrs|ms|prof|st|no|nos|nr|vs|fig|figs|eq|sec|vol|ca|cf|bzw|vgl|abs|art|bd|hrsg|usw|ggf|inkl|evtl|dhr|mevr|sr|sra|núm|pág|n|p|pp|al)\.\s*$/iu;
/** Minimum length of a line that is assumed to be wrapped. */
const fullLine = 50;
const sentenceEnd = /[.!?:;。！？؟।…"”»)\]]\s*$/u;

/** Replaces line breaks inside sentences by spaces, which keeps all offsets. */
function withoutLineBreaks(text: string): string {
  if (!text.includes('\n')) return text;
  let begun = 0;
  return text.replace(/\n(?=(\s*)(\S?))/gu, (_, _space: string, next: string, at: number) => {
    const line = text.slice(begun, at);
    begun = at + 1;
    if (endsWithItsLine(line, lineAt(text, at + 1))) return '\n';
    const continues = /\p{Ll}/u.test(next) || (line.length >= fullLine && next !== '');
    return continues && line.trim() !== '' && !sentenceEnd.test(line) && text[at + 1] !== '\n' ? ' ' : '\n';
  });
}

/**
 * The sentences of a text, by the Unicode rules for its language (https://unicode.org/reports/tr29/), except that
 * wrapped lines and common abbreviations do not end a sentence. A row of a table and an item of a list are sentences of
 * their own.
 */
export function sentencesOf(text: string, language: string): Sentence[] {
  const sentences: Sentence[] = [];
  let open: Sentence | null = null;
  for (const { segment, index } of segmenterOf(language).segment(withoutLineBreaks(text))) {
    const start = index + segment.length - segment.trimStart().length;
    const end = index + segment.trimEnd().length;
    if (end <= start) continue;
    if (open === null) open = { start, end };
    else open.end = end;
    if (goesOn.test(segment) && !segment.includes('\n')) continue;
    sentences.push(open);
    open = null;
  }
  if (open !== null) sentences.push(open);
  return sentences;
}
