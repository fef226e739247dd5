import type { Chat } from '../../../adapters/chat/port.ts';
import type { Ambient } from '../../../models/ambient.ts';
import type { AnswerResponse, Citation, SearchRequest } from '../../../models/api.ts';
import { confidenceOf, type RelevanceModel } from '../../../models/relevance/relevance.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import type { Hit } from '../order.ts';
import { find, keyOf, presentPage, type Findings, type SearchTools } from '../search.ts';
import { checkCitations } from './citations.ts';
import type { Offered, Written } from './offered.ts';
import { promptOf } from './prompt.ts';
import { quotesOf } from './quotes.ts';

/** Passages that an answer is made of at most. */
const mostOffered = 12;
/** Random bytes of the mark that separates the passages in a prompt. */
const markBytes = 15;

/** What answering works with. */
export interface AnswerTools extends SearchTools {
  /** The model that writes; null: sentences are quoted. */
  chat: Pick<Chat, 'complete'> | null;
  ambient: Pick<Ambient, 'secret'>;
  /** Told of an answer that the model could not write. */
  unwritten: (reason: unknown) => void;
}

/** An answer, still without its id. */
export interface AnswerOutcome {
  response: Omit<AnswerResponse, 'searchId'>;
  /** True where the organization has no retrievable passage at all: such a search is not charged. */
  emptyLibrary: boolean;
  /** Passages found, whether offered or not. */
  results: number;
}

/** The passages of confidence moderate or better, from `offset` on, as many as are offered. */
function chooseOffered(hits: readonly Hit[], { offset, limit }: Pick<SearchRequest, 'offset' | 'limit'>, relevance: RelevanceModel): Hit[] {
  const good = hits.filter((hit) => ['high', 'moderate'].includes(confidenceOf(relevance, hit.relevance) ?? ''));
  return good.slice(offset, offset + Math.min(limit, mostOffered));
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

/** What the model wrote, checked; null where that cannot be used. */
async function writtenByModel(tools: AnswerTools, chat: Pick<Chat, 'complete'>, query: string, offered: readonly Offered[]): Promise<Written | null> {
  const mark = tools.ambient.secret(markBytes);
  try {
    const text = await chat.complete(promptOf(query, offered.map(({ passage }) => passage.text), mark));
    const written = checkCitations(text, offered.length);
    // A text that gives the mark away repeats its orders and the passages, and answers nothing.
    if (!text.includes(mark) && /[\p{L}\p{N}]/u.test(written.text.replace(/\[\d+\]/gu, ''))) return written;
    tools.unwritten(new Error('the model answered nothing but marks'));
  } catch (error) {
    tools.unwritten(error);
  }
  return null;
}

/**
 * Answers a question: finds as a search does, and has the best passages quoted or a model write from them. The numbers
 * in brackets are those of the citations, which list everything that was offered.
 */
export async function answer(tools: AnswerTools, scope: OrganizationScope, request: SearchRequest): Promise<AnswerOutcome> {
  const found = await find(tools, scope, request, (hits) => ({ hits: chooseOffered(hits, request, tools.relevance), moments: null, hasMore: false }));
  const { withheldAsWeak, emptyLibrary, results } = found;
  const offered = offeredOf(tools, found);
  const { chat } = tools;
  const byModel = chat === null || offered.length === 0 ? null : await writtenByModel(tools, chat, request.query, offered);
  const { text, cited } = byModel ?? quotesOf(offered, found.marking);
  if (text === '') return { response: { answer: null, citations: [], withheldAsWeak }, emptyLibrary, results };
  const citations = offered.map(({ number, item }): Citation => ({ ...item, number, cited: cited.size === 0 || cited.has(number) }));
  return { response: { answer: text, citations, withheldAsWeak }, emptyLibrary, results };
}
