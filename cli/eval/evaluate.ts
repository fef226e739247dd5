import type { SearchItem } from '../../models/api.ts';
import type { Location } from '../../models/block.ts';
import { ndcg, recall, reciprocalRank } from './metrics.ts';
import type { Connection } from '../connection.ts';
import { fileFinder, type NamedFiles } from './library-files.ts';
import { isAt } from './place.ts';
import type { Expectation, Question } from './questions.ts';

/** Results that count as seen, and those that are asked for. */
export const [seenDepth, depth] = [10, 100];
/** Results that a miss shows. */
const shownInstead = 5;

/**
 * - `found`: among the first 10 results.
 * - `low`: shown further down, or not among the first 100 although a search in its file alone shows it.
 * - `elsewhere`: the file is shown, its expected place is not.
 * - `withheld`: what a search in its file alone finds is under the floor.
 * - `not_found`: a search in its file alone finds nothing.
 * - `not_searchable`: it is not in the library, not indexed or not open. It does not count.
 */
export type Outcome = 'found' | 'low' | 'elsewhere' | 'withheld' | 'not_found' | 'not_searchable';

/** A result as a report shows it. */
export interface ShownResult {
  filename: string;
  location: Location;
  snippet: string;
  highlights: SearchItem['highlights'];
  confidence: SearchItem['confidence'];
  relevance: number;
}

/** What became of one expectation. */
export interface Judged {
  line: number;
  question: string;
  file: string;
  place: string;
  outcome: Outcome;
  /** Its place among the results, from 1; null if it is not among the first 100. */
  rank: number | null;
  /** Why it is not searchable, or what a search in its file alone finds; empty if it was found. */
  detail: string;
  /** The first results; empty if it was found. */
  instead: ShownResult[];
}

/** The figures of all questions, each between 0 and 1. */
export interface Figures {
  questions: number;
  /** Expectations that count. */
  expected: number;
  /** Share of the expectations of a question among the first 10 and the first 100 results, mean over the questions. */
  recallSeen: number;
  recall: number;
  /** Mean reciprocal rank within the first 10 results, and nDCG at 10. */
  mrr: number;
  ndcg: number;
  /** Questions without a result. */
  unanswered: number;
  /** Expectations by outcome. */
  outcomes: Record<Outcome, number>;
}

/** What an evaluation found. */
export interface Evaluation {
  figures: Figures;
  judged: Judged[];
}

interface Result {
  items: SearchItem[];
  withheldAsWeak: number;
}

type Search = (request: object) => Promise<Result>;

/** An expectation with the files that it names. */
interface Target {
  expectation: Expectation;
  files: NamedFiles;
  assetIds: ReadonlySet<string>;
}

/** Whether a result is what an expectation names. */
function satisfies({ expectation: { place }, assetIds }: Target, item: SearchItem): boolean {
  return assetIds.has(item.assetId) && (place === null || isAt(place, item));
}

function shown({ filename, location, snippet, highlights, confidence, relevance }: SearchItem): ShownResult {
  return { filename, location, snippet, highlights, confidence, relevance };
}

/** Searches in the files of a missed expectation alone, to find out why it was missed. */
async function whyMissed(
  search: Search,
  query: string,
  target: Target,
  isFileShown: boolean,
): Promise<Pick<Judged, 'outcome' | 'detail'>> {
  const { items, withheldAsWeak } = await search({
    query,
    limit: depth,
    filter: { assetIds: [...target.assetIds] },
  });
  const weak = `${withheldAsWeak} ${withheldAsWeak === 1 ? 'passage' : 'passages'} of the file under the floor`;
  if (items.some((item) => satisfies(target, item)))
    return { outcome: 'low', detail: `not among the first ${depth}; shown by a search in the file alone` };
  if (isFileShown || (items.length > 0 && withheldAsWeak === 0))
    return { outcome: 'elsewhere', detail: withheldAsWeak === 0 ? 'other places of the file are shown' : weak };
  return withheldAsWeak > 0
    ? { outcome: 'withheld', detail: weak }
    : { outcome: 'not_found', detail: 'a search in the file alone finds nothing' };
}

/** Searches for one question. Returns its judged expectations, and its results as keys for the metrics. */
async function evaluateQuestion(
  search: Search,
  question: Question,
  targets: readonly Target[],
): Promise<{ judged: Judged[]; ranking: string[]; relevant: Map<string, number>; isUnanswered: boolean }> {
  // Files are ranked where whole files are expected, passages where a place is.
  const ofFiles = targets.every(({ expectation }) => expectation.place === null);
  const { items } = await search({ query: question.text, limit: depth, ...(ofFiles ? { group: 'file' } : {}) });
  const ranks = targets.map((target) => items.findIndex((item) => satisfies(target, item)));
  const judged: Judged[] = [];
  for (const [index, target] of targets.entries()) {
    const { line, file, placeText } = target.expectation;
    const rank = ranks[index] ?? -1;
    const isFound = rank >= 0 && rank < seenDepth;
    const why: Pick<Judged, 'outcome' | 'detail'> = isFound
      ? { outcome: 'found', detail: '' }
      : target.files.why !== null
        ? { outcome: 'not_searchable', detail: target.files.why }
        : rank >= 0
          ? { outcome: 'low', detail: `result ${rank + 1}` }
          : await whyMissed(
              search,
              question.text,
              target,
              items.some(({ assetId }) => target.assetIds.has(assetId)),
            );
    judged.push({
      line,
      question: question.text,
      file,
      place: placeText,
      ...why,
      rank: rank >= 0 ? rank + 1 : null,
      instead: isFound ? [] : items.slice(0, shownInstead).map(shown),
    });
  }
  // Each expectation is a document of the metrics, at the rank of the first result that satisfies it; expectations that
  // share a result are one document.
  const documentOf = (index: number): string =>
    `expected ${ranks[index] === -1 ? index : ranks.indexOf(ranks[index] ?? -1)}`;
  return {
    judged,
    ranking: items.map((_, at) => (ranks.includes(at) ? documentOf(ranks.indexOf(at)) : `other ${at}`)),
    relevant: new Map(targets.flatMap(({ files }, index) => (files.why === null ? [[documentOf(index), 1]] : []))),
    isUnanswered: items.length === 0,
  };
}

/**
 * Puts the questions to a library through the API and compares the results with what is expected. Questions of which
 * nothing is searchable do not count in the figures.
 * @param onProgress receives the number of questions done
 * @throws CommandError if the program does not respond, or refuses a request
 */
export async function evaluate(
  connection: Connection,
  questions: readonly Question[],
  onProgress: (done: number) => void = () => undefined,
): Promise<Evaluation> {
  const findFiles = fileFinder(connection);
  const search: Search = async (request) => {
    const body = await connection.ask('POST', '/search', request);
    return { items: body['items'] as SearchItem[], withheldAsWeak: Number(body['withheldAsWeak']) };
  };
  const figures: Figures = {
    questions: 0,
    expected: 0,
    recallSeen: 0,
    recall: 0,
    mrr: 0,
    ndcg: 0,
    unanswered: 0,
    outcomes: { found: 0, low: 0, elsewhere: 0, withheld: 0, not_found: 0, not_searchable: 0 },
  };
  const judged: Judged[] = [];
  for (const [done, question] of questions.entries()) {
    onProgress(done);
    const targets: Target[] = [];
    for (const expectation of question.expected) {
      const files = await findFiles(expectation.file);
      targets.push({ expectation, files, assetIds: new Set(files.assetIds) });
    }
    const { judged: own, ranking, relevant, isUnanswered } = await evaluateQuestion(search, question, targets);
    judged.push(...own);
    for (const { outcome } of own) figures.outcomes[outcome] += 1;
    if (relevant.size === 0) continue;
    figures.questions += 1;
    figures.expected += own.filter(({ outcome }) => outcome !== 'not_searchable').length;
    figures.unanswered += isUnanswered ? 1 : 0;
    figures.recallSeen += recall(ranking, relevant, seenDepth);
    figures.recall += recall(ranking, relevant, depth);
    figures.mrr += reciprocalRank(ranking, relevant, seenDepth);
    figures.ndcg += ndcg(ranking, relevant, seenDepth);
  }
  for (const name of ['recallSeen', 'recall', 'mrr', 'ndcg'] as const)
    figures[name] = figures.questions === 0 ? 0 : figures[name] / figures.questions;
  return { figures, judged };
}
