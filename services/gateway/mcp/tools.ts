import { call, requestTimeoutMs, type ActionCaller, type CallOptions } from '../../../mixins/actions/call.ts';
import { sentence, type RateClass } from '../../../mixins/http/api/route.ts';
import type { Caller, SearchItem, SearchRequest } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import type { Json, JsonObject } from '../../../models/json.ts';
import { answerToolAnswer, searchToolAnswer, type FoundPassage } from '../../../models/schemas/answers/mcp.ts';
import { passageAnswer } from '../../../models/schemas/answers/passages.ts';
import { kind, principals } from '../../../models/schemas/assets.ts';
import { readableCollectionsAnswer } from '../../../models/schemas/collections.ts';
import { collectionPage } from '../../../models/schemas/library.ts';
import { within } from '../../../models/schemas/faults.ts';
import { passageRead } from '../../../models/schemas/passages.ts';
import { searchFilter } from '../../../models/schemas/search.ts';
import {
  object,
  optional,
  required,
  withDefault,
  type Described,
  type Field,
  type Fields,
  type Schema,
  type Shape,
} from '../../../models/schemas/schema.ts';
import { integer, text } from '../../../models/schemas/values.ts';

/** Who asks, and for whom. */
export interface Asker {
  actions: ActionCaller;
  caller: Caller;
  /** The readers of the whole connection; undefined where each call names its own. */
  principals: string[] | null | undefined;
}

/** A tool for language models. */
export interface Tool {
  name: string;
  /** The plan feature that it needs. */
  feature: string | null;
  /** The counter that a call takes from, besides that of all requests. */
  rate: RateClass | null;
  /** How `tools/list` shows it. @param readerIsFixed whether calls do not name principals */
  describe: (readerIsFixed: boolean) => JsonObject;
  /** Calls it. @throws Refusal, or what its action throws */
  run: (asker: Asker, given: JsonObject) => Promise<object>;
}

interface ToolDefinition<F extends Fields, A extends object> extends Pick<Tool, 'name' | 'feature' | 'rate'> {
  title: string;
  description: string;
  fields: F;
  answer: Described<A>;
  run: (actions: ActionCaller, caller: Caller, given: Shape<F>, principals: string[] | null) => Promise<A>;
}

const options: CallOptions = { timeout: requestTimeoutMs, isChecked: true };

const readers = {
  principals: told(
    withDefault(principals(1000), null),
    'The principals of the reader: files that none of them may see are not found. Without any, only open files are.',
  ),
};

/** A field with a description for the model. */
function told<T, P extends 'required' | 'withDefault' | 'optional'>(
  field: Field<T, P>,
  description: string,
): Field<T, P> {
  const { schema } = field;
  return { ...field, schema: { ...schema, json: { ...schema.json, description } } };
}

function tool<F extends Fields, A extends object>(definition: ToolDefinition<F, A>): Tool {
  const { name, title, description, feature, rate, fields, answer, run } = definition;
  const own = object(fields);
  const reader = object(readers);
  const whole = object({ ...fields, ...readers });
  return {
    name,
    feature,
    rate,
    describe: (readerIsFixed) => ({
      name,
      title,
      description,
      inputSchema: (readerIsFixed ? own : whole).json,
      outputSchema: answer.json,
      annotations: { title, readOnlyHint: true, openWorldHint: false },
    }),
    run: ({ actions, caller, principals: fixed }, given) => {
      if (fixed !== undefined) return run(actions, caller, checked(own, given), fixed);
      const { principals: named, ...others } = given;
      const asked = checked(own, others);
      const { principals: granted } = checked(reader, named === undefined ? {} : { principals: named });
      return run(actions, caller, asked, granted);
    },
  };
}

/** Checks arguments. @throws Refusal `validation_error`, with a sentence about the first field at fault */
function checked<T>(schema: Schema<T>, given: JsonObject): T {
  try {
    return schema.check(given);
  } catch (error) {
    within(error, 'arguments');
    if (error instanceof Refusal && error.data.fields !== undefined) throw sentence(error.data.fields, error.message);
    throw error;
  }
}

const searched = {
  query: told(required(text(1, 2000)), 'A question or words, in any language.'),
  kind: told(optional(kind), 'Only files of this kind.'),
  filter: told(optional(searchFilter), 'Narrows the search, for example to collections by their externalId.'),
};

function requestOf(
  { query, kind: only, filter = {} }: Shape<typeof searched>,
  more: Pick<SearchRequest, 'limit' | 'offset' | 'principals'>,
): SearchRequest {
  return { query, group: null, filter: only === undefined ? filter : { ...filter, kind: only }, ...more };
}

function passageOf(item: SearchItem, passageId: string): FoundPassage {
  const { assetId, filename, sourceReference, snippet, location, relevance, confidence } = item;
  return {
    passageId,
    assetId,
    externalId: sourceReference.externalId,
    filename,
    kind: item.kind,
    snippet,
    location,
    relevance,
    confidence,
    speaker: item.speaker,
    language: item.language,
    metadata: item.metadata,
  };
}

/** The tools, in the order in which they are listed. */
export const tools: readonly Tool[] = [
  tool({
    name: 'search',
    title: 'Search the library',
    description:
      'Finds passages in the documents, recordings and films of the library, by meaning and by words. Each result says where it is: page, line, slide or second. Read more around a result with read_passage.',
    feature: null,
    rate: 'search',
    fields: { ...searched, limit: withDefault(integer(1, 100), 10), offset: withDefault(integer(0, 200), 0) },
    answer: searchToolAnswer,
    run: async (actions, caller, { limit, offset, ...asked }, granted) => {
      const request = requestOf(asked, { limit, offset, principals: granted });
      const given = { caller, request, withPassageIds: true };
      const {
        items,
        passageIds = [],
        hasMore,
        withheldAsWeak,
        searchId,
      } = await call(actions, 'searcher.search', given, options);
      return {
        items: items.map((item, index) => passageOf(item, passageIds[index] ?? '')),
        hasMore,
        withheldAsWeak,
        searchId,
      };
    },
  }),
  tool({
    name: 'answer',
    title: 'Answer a question',
    description:
      'Answers a question from the best passages of the library, with numbered citations. The answer is null where no passage is good enough.',
    feature: 'answers',
    rate: 'search',
    fields: searched,
    answer: answerToolAnswer,
    run: async (actions, caller, asked, granted) => {
      const request = requestOf(asked, { limit: 12, offset: 0, principals: granted });
      const given = { caller, request, withPassageIds: true };
      const {
        answer,
        citations,
        passageIds = [],
        withheldAsWeak,
        searchId,
      } = await call(actions, 'searcher.answer', given, options);
      return {
        answer,
        citations: citations.map((citation, index) => ({
          number: citation.number,
          cited: citation.cited,
          ...passageOf(citation, passageIds[index] ?? ''),
        })),
        withheldAsWeak,
        searchId,
      };
    },
  }),
  tool({
    name: 'read_passage',
    title: 'Read a passage',
    description: 'Reads the whole text of a passage that search or answer has named, with the passages around it.',
    feature: null,
    rate: null,
    fields: {
      passageId: told(passageRead.passageId, 'The passageId of a search result or a citation.'),
      before: told(passageRead.before, 'How many passages before it are read as well.'),
      after: told(passageRead.after, 'How many passages after it are read as well.'),
    },
    answer: passageAnswer,
    run: (actions, caller, asked, granted) =>
      call(actions, 'searcher.readPassage', { caller, ...asked, principals: granted }, options),
  }),
  tool({
    name: 'list_collections',
    title: 'List collections',
    description:
      'Lists the collections that files are in, by name. Searches can be narrowed to them by filter.collections.',
    feature: null,
    rate: null,
    fields: collectionPage,
    answer: readableCollectionsAnswer,
    run: (actions, caller, asked, granted) =>
      call(actions, 'registrar.readableCollections', { caller, ...asked, principals: granted }, options),
  }),
];

/** The result of a call that succeeded: as an object, and as text for clients that read only texts. */
export function resultOf(answer: object): JsonObject {
  // An answer is plain JSON, as its action and its schema say.
  const structuredContent = answer as { [name: string]: Json };
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent };
}
