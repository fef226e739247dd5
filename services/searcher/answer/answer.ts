import type { Chat } from '../../../adapters/chat/port.ts';
import type { Runtime } from '../../../models/runtime.ts';
import type { AnswerResponse, Citation, SearchRequest } from '../../../models/api.ts';
import { passageIdOf } from '../../../models/passage.ts';
import { confidenceOf, type RelevanceModel } from '../../../models/relevance/relevance.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import type { Hit } from '../order.ts';
import { find, keyOf, presentPage, type Findings, type SearchTools } from '../search.ts';
import { checkCitations } from './citations.ts';
import type { Offered, Written } from './offered.ts';
import { promptOf } from './prompt.ts';
import { quotesOf } from './quotes.ts';

/** Maximum passages offered to an answer. */
const maxOffered = 12;
/** Random bytes of the mark that separates the passages in a prompt. */
const markBytes = 15;

/** The dependencies of answering. */
export interface AnswerTools extends SearchTools {
  /** The model that writes answers; if null, sentences are quoted. */
  chat: Pick<Chat, 'complete'> | null;
  runtime: Pick<Runtime, 'secret'>;
  /** Receives the reason if the model could not write an answer. */
  onUnwritten: (reason: unknown) => void;
}

/** An answer without its id. */
export interface AnswerOutcome {
  response: Omit<AnswerResponse, 'searchId'>;
  /** Whether the organization has no retrievable passage; such a search is not charged. */
  emptyLibrary: boolean;
  /** Number of passages found, offered or not. */
  results: number;
  /** The id of each citation's passage. */
  passageIds: string[];
}

/** Chooses the offered passages: those of confidence moderate or better, from `offset` on. */
function chooseOffered(
  hits: readonly Hit[],
  { offset, limit }: Pick<SearchRequest, 'offset' | 'limit'>,
  relevance: RelevanceModel,
): Hit[] {
  const good = hits.filter((hit) => ['high', 'moderate'].includes(confidenceOf(relevance, hit.relevance) ?? ''));
  return good.slice(offset, offset + Math.min(limit, maxOffered));
}

function offeredOf(tools: SearchTools, found: Findings): Offered[] {
  const offered: Offered[] = [];
  for (const hit of found.page.hits) {
    const passage = found.texts.get(keyOf(hit.candidate));
    const [item] = presentPage(tools, { ...found, page: { hits: [hit], moments: null, hasMore: false } });
    if (passage !== undefined && item !== undefined) offered.push({ number: offered.length + 1, hit, passage, item });
  }
  return offered;
}

/** The model's answer after checks; null if it cannot be used. */
async function writtenByModel(
  tools: AnswerTools,
  chat: Pick<Chat, 'complete'>,
  query: string,
  offered: readonly Offered[],
): Promise<Written | null> {
  const mark = tools.runtime.secret(markBytes);
  try {
    const text = await chat.complete(
      promptOf(
        query,
        offered.map(({ passage }) => passage.text),
        mark,
      ),
    );
    const written = checkCitations(text, offered.length);
    // A text that contains the mark repeats the prompt instead of answering.
    if (!text.includes(mark) && /[\p{L}\p{N}]/u.test(written.text.replace(/\[\d+\]/gu, ''))) return written;
    tools.onUnwritten(new Error('the model answered nothing but marks'));
  } catch (error) {
    tools.onUnwritten(error);
  }
  return null;
}

/**
 * Answers a question: searches, and quotes the best passages or has a model write an answer from them. The numbers in
 * brackets refer to the citations, which list all offered passages.
 */
export async function answer(
  tools: AnswerTools,
  scope: OrganizationScope,
  request: SearchRequest,
): Promise<AnswerOutcome> {
  const found = await find(tools, scope, request, (hits) => ({
    hits: chooseOffered(hits, request, tools.relevance),
    moments: null,
    hasMore: false,
  }));
  const { withheldAsWeak, emptyLibrary, results } = found;
  const offered = offeredOf(tools, found);
  const { chat } = tools;
  const byModel =
    chat === null || offered.length === 0 ? null : await writtenByModel(tools, chat, request.query, offered);
  const { text, cited } = byModel ?? quotesOf(offered, found.marking);
  if (text === '')
    return { response: { answer: null, citations: [], withheldAsWeak }, emptyLibrary, results, passageIds: [] };
  const citations = offered.map(({ number, item }): Citation => ({
    ...item,
    number,
    cited: cited.size === 0 || cited.has(number),
  }));
  const passageIds = offered.map(({ hit }) => passageIdOf(hit.candidate));
  return { response: { answer: text, citations, withheldAsWeak }, emptyLibrary, results, passageIds };
}
