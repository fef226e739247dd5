import { describeLocation } from '../search.ts';
import { printable } from '../terminal.ts';
import { depth, seenDepth, type Evaluation, type Figures, type Judged, type Outcome } from './evaluate.ts';

/** A report: what an evaluation found, when, and with which program. It is stored in the page, for comparisons. */
export interface Report extends Evaluation {
  /** Form of the stored report. */
  form: 1;
  /** Name of the file of questions. */
  name: string;
  /** When it was made (ISO 8601). */
  madeAt: string;
  /** The embedding models of the program, as its health reports them; empty if unknown. */
  models: string;
}

/** Outcomes in words, in the order in which reports list them. */
export const outcomeWords: Readonly<Record<Outcome, string>> = {
  found: `found among the first ${seenDepth} results`,
  withheld: 'withheld: found, but under the floor',
  low: `found, but not among the first ${seenDepth}`,
  elsewhere: 'another place of the file is shown',
  not_found: 'not found',
  not_searchable: 'not searchable, and not counted',
};

/** The figures with their names, as reports list them. */
export const figureRows: readonly {
  name: string;
  of: (figures: Figures) => string;
  value: (figures: Figures) => number;
}[] = [
  ...(
    [
      [`recall in the first ${seenDepth}`, ({ recallSeen }) => recallSeen],
      [`recall in the first ${depth}`, ({ recall }) => recall],
      [`MRR in the first ${seenDepth}`, ({ mrr }) => mrr],
      [`nDCG in the first ${seenDepth}`, ({ ndcg }) => ndcg],
    ] satisfies [string, (figures: Figures) => number][]
  ).map(([name, value]) => ({ name, value, of: (figures: Figures) => value(figures).toFixed(3) })),
  {
    name: 'questions without a result',
    value: ({ unanswered }) => unanswered,
    of: ({ unanswered, questions }) => `${unanswered} of ${questions}`,
  },
  {
    name: 'withheld under the floor',
    value: ({ outcomes }) => outcomes.withheld,
    of: ({ outcomes, expected }) => `${outcomes.withheld} of ${expected}`,
  },
];

/** What an expectation names, in words. */
export function expectedWords({ file, place }: Pick<Judged, 'file' | 'place'>): string {
  return place === '' ? file : `${file}, ${/^\d+$/.test(place) ? `place ${place}` : place}`;
}

/** A change of one expectation since an earlier report. */
export interface OutcomeChange {
  now: Judged;
  before: Judged;
}

/** The expectations that both reports have, where one found what the other did not. */
export function changesBetween(before: Report, now: Report): { gained: OutcomeChange[]; lost: OutcomeChange[] } {
  const key = ({ question, file, place }: Judged): string => JSON.stringify([question, file, place]);
  const earlier = new Map(before.judged.map((each) => [key(each), each]));
  const changes = now.judged.flatMap((each): OutcomeChange[] => {
    const other = earlier.get(key(each));
    return other === undefined || (other.outcome === 'found') === (each.outcome === 'found')
      ? []
      : [{ now: each, before: other }];
  });
  return {
    gained: changes.filter((change) => change.now.outcome === 'found'),
    lost: changes.filter((change) => change.now.outcome !== 'found'),
  };
}

function changeLines(title: string, changes: readonly OutcomeChange[]): string[] {
  if (changes.length === 0) return [];
  return [
    '',
    title,
    ...changes.map(
      ({ now, before }) =>
        `  line ${now.line}: ${printable(now.question)} (${outcomeWords[before.outcome]} before, now ${outcomeWords[now.outcome]})`,
    ),
  ];
}

/** The report as text: the figures, what changed since an earlier report, and each miss with what was shown instead. */
export function reportText(report: Report, before: Report | null): string {
  const { figures, judged } = report;
  const width = Math.max(...figureRows.map(({ name }) => name.length));
  const misses = judged.filter(({ outcome }) => outcome !== 'found');
  const changes = before === null ? null : changesBetween(before, report);
  return [
    `${figures.questions} questions with ${figures.expected} expected files or places`,
    ...figureRows.map(
      ({ name, of }) =>
        `${name.padEnd(width)}  ${of(figures)}${before === null ? '' : `  (${of(before.figures)} before)`}`,
    ),
    ...(changes === null
      ? []
      : [
          ...changeLines('Found now, not before', changes.gained),
          ...changeLines('Found before, not now', changes.lost),
        ]),
    ...misses.flatMap(({ line, question, outcome, detail, instead, ...expected }) => [
      '',
      `line ${line}: ${printable(question)}`,
      `  expected ${printable(expectedWords(expected))}: ${outcomeWords[outcome]} (${printable(detail)})`,
      instead.length === 0 ? '  nothing is shown' : '  shown instead:',
      ...instead
        .slice(0, 3)
        .map(
          ({ filename, location, confidence, relevance }, index) =>
            `  ${index + 1}. ${printable(filename)}, ${describeLocation(location)}  (${confidence}, ${relevance.toFixed(2)})`,
        ),
    ]),
  ].join('\n');
}
