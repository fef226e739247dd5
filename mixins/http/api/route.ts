import { call, requestTimeoutMs, type ActionCaller } from '../../actions/call.ts';
import type { ActionInput, ActionName, ActionOutput } from '../../actions/table.ts';
import type { KeyAccess } from '../../actions/accounts.ts';
import type { Caller } from '../../../models/api.ts';
import { invalid, Refusal, type ErrorCode } from '../../../models/errors.ts';
import type { JsonObject } from '../../../models/json.ts';
import type { Role } from '../../../models/people.ts';
import { unknownField, within } from '../../../models/schemas/faults.ts';
import { checkQuery } from '../../../models/schemas/query.ts';
import {
  isObject,
  maxValuesOf,
  type Described,
  type Fields,
  type Schema,
  type Shape,
} from '../../../models/schemas/schema.ts';

/** Methods of the API's operations. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** Which of an organization's counters a request takes from. */
export type RateClass = keyof KeyAccess['limits'];
/** Whether `Idempotency-Key` is read, and whether it is needed. */
export type Idempotency = 'none' | 'optional' | 'required';

/** What a checked request knows when its action is called. */
export interface Checked<P, Q, B, H> {
  caller: Caller;
  path: P;
  query: Q;
  headers: H;
  body: B;
  /** Features of the account's plan; null if no plan is applied. */
  features: readonly string[] | null;
}

/** An answer that is made while it is sent: JSON lines of a blob become the members of a list. */
export interface StoredAnswer {
  headers: { [name: string]: string };
  /** The text before the first member and after the last. */
  before: string;
  after: string;
  /** Name of the blob; null for a list without members. */
  key: string | null;
}

/** A row of the route table, as its file writes it. */
export interface RouteDefinition<N extends ActionName, P extends Fields, Q extends Fields, B, H extends Fields> {
  method: Method;
  /** Whole path with `{name}` for what `params` checks. */
  path: string;
  /** Unique name of the operation for generated clients. */
  operation: string;
  tag: string;
  summary: string;
  action: N;
  scope: 'standard' | 'admin';
  /** Whether it must be asked of the account's own organization. */
  ownOrganization?: boolean;
  /** Whether it needs a session of the dashboard: keys are refused. */
  dashboardOnly?: boolean;
  /** The least role of a person in the dashboard; left out: `admin` for that scope, `reader` for GET, else `editor`. */
  role?: Role;
  /** Plan feature that the whole operation needs. */
  feature?: string;
  /** Plan features that these values need. */
  featuresOf?: (body: B) => readonly string[];
  rate: RateClass;
  idempotency: Idempotency;
  params: P;
  query: Q;
  /** Headers that it reads, besides those of every operation. */
  headers?: H;
  /** Null: the operation takes no body. */
  body: Schema<B> | null;
  status: 200 | 201 | 202 | 204;
  answer: Described<ActionOutput<N>>;
  /** Codes that the operation itself may answer, besides those of every operation. */
  errors: readonly ErrorCode[];
  /** The action's input. `idempotencyId` is set where the client sent a key. */
  input: (
    checked: Checked<Shape<P>, Shape<Q>, B, Shape<H>>,
    idempotencyId: string | undefined,
  ) => ActionInput<N> | Promise<ActionInput<N>>;
}

/** A row whose answer is sent from the blobs. */
export interface StoredRouteDefinition<
  N extends ActionName,
  P extends Fields,
  Q extends Fields,
  B,
  H extends Fields,
> extends Omit<RouteDefinition<N, P, Q, B, H>, 'answer'> {
  answer: Described<object>;
  /** Headers of its answer, as the description shows them. */
  answerHeaders: JsonObject;
  /** Makes the response of the action's output. */
  stored: (output: ActionOutput<N>) => StoredAnswer;
}

/** A file that is made while it is sent, by further calls. */
export interface Download {
  /** Media type. */
  type: string;
  fileName: string;
  /** The pieces of the file. The first one is at hand, so that what cannot be read is refused before anything is sent. */
  pieces: () => AsyncIterable<Uint8Array>;
}

/** A row that may answer with a file instead of JSON. */
export interface DownloadRouteDefinition<
  N extends ActionName,
  P extends Fields,
  Q extends Fields,
  B,
  H extends Fields,
> extends Omit<RouteDefinition<N, P, Q, B, H>, 'answer'> {
  /** The JSON that it may answer instead; null: it always answers the file. */
  answer: Described<object | null>;
  /** Media type of the file. */
  downloads: string;
  /** Makes the file of the action's input and output; null: the output is answered as JSON. */
  download: (output: ActionOutput<N>, given: ActionInput<N>, actions: ActionCaller) => Download | null;
}

/** The parts of a request as they were received. */
export interface RawParts {
  params: { readonly [name: string]: string };
  query: ReadonlyMap<string, readonly (string | null)[]>;
  /** By their names in lower case. */
  headers: { readonly [name: string]: string | string[] | undefined };
  /** The parsed body; undefined if none was sent. */
  body: unknown;
}

/** A request that passed every check of its fields. */
export interface Prepared {
  /** Plan features that its values need. */
  features: readonly string[];
  perform: (
    actions: ActionCaller,
    caller: Caller,
    features: readonly string[] | null,
    idempotencyId: string | undefined,
  ) => Promise<Performed>;
}

/** What an action's output becomes: JSON, or an answer that is read from the blobs. */
export type Performed =
  | { kind: 'json'; value: unknown }
  | { kind: 'stored'; answer: StoredAnswer }
  | { kind: 'download'; download: Download };

/** A row of the route table without its types. */
export interface Route extends Pick<
  RouteDefinition<ActionName, Fields, Fields, unknown, Fields>,
  | 'method'
  | 'path'
  | 'operation'
  | 'tag'
  | 'summary'
  | 'action'
  | 'scope'
  | 'rate'
  | 'idempotency'
  | 'params'
  | 'query'
  | 'body'
  | 'status'
  | 'errors'
> {
  ownOrganization: boolean;
  dashboardOnly: boolean;
  role: Role;
  feature: string | null;
  headers: Fields;
  answer: Described<unknown>;
  answerHeaders: JsonObject;
  /** Whether its answer is sent from the blobs. */
  isStored: boolean;
  /** Media type of the file that it may answer instead of JSON. */
  downloads: string | null;
  /** Values in a body at most: one with more cannot be valid and is not parsed. */
  maxValues: number;
  /** Checks path ids, query, headers and body, in this order. @throws Refusal */
  prepare: (raw: RawParts, checkHeaders: () => void) => Prepared;
}

/** So many values are always parsed, so that the field at fault is named in bodies that are merely too large. */
const minMaxValues = 50_000;

/** Makes a row of the route table. */
export function route<N extends ActionName, P extends Fields, Q extends Fields, B, H extends Fields = NoFields>(
  definition: RouteDefinition<N, P, Q, B, H>,
): Route {
  return rowOf({ ...definition, answerHeaders: {}, isStored: false, downloads: null }, (value) => ({
    kind: 'json',
    value,
  }));
}

/** Makes a row whose answer is sent from the blobs, however long it is. */
export function storedRoute<N extends ActionName, P extends Fields, Q extends Fields, B, H extends Fields = NoFields>(
  definition: StoredRouteDefinition<N, P, Q, B, H>,
): Route {
  return rowOf({ ...definition, isStored: true, downloads: null }, (output) => ({
    kind: 'stored',
    answer: definition.stored(output),
  }));
}

/** Makes a row that may answer with a file instead of JSON. */
export function downloadRoute<N extends ActionName, P extends Fields, Q extends Fields, B, H extends Fields = NoFields>(
  definition: DownloadRouteDefinition<N, P, Q, B, H>,
): Route {
  return rowOf({ ...definition, answerHeaders: {}, isStored: false }, (output, given, actions) => {
    const download = definition.download(output, given, actions);
    return download === null ? { kind: 'json', value: output } : { kind: 'download', download };
  });
}

/** No fields. */
export type NoFields = { readonly [name: string]: never };

function rowOf<N extends ActionName, P extends Fields, Q extends Fields, B, H extends Fields>(
  definition: Omit<StoredRouteDefinition<N, P, Q, B, H>, 'stored' | 'answer'> &
    Pick<Route, 'answer' | 'isStored' | 'downloads'>,
  finish: (output: ActionOutput<N>, given: ActionInput<N>, actions: ActionCaller) => Performed,
): Route {
  const { params, query, headers, body, input, featuresOf } = definition;
  return {
    ...definition,
    headers: headers ?? {},
    ownOrganization: definition.ownOrganization ?? false,
    dashboardOnly: definition.dashboardOnly ?? false,
    role: definition.role ?? leastRole(definition),
    feature: definition.feature ?? null,
    maxValues: Math.max(minMaxValues, body === null ? 0 : maxValuesOf(body.json)),
    prepare: (raw, checkHeaders) => {
      const head = checkHead({ params, query, headers }, raw);
      checkHeaders();
      const checkedBody = part('body', () => checkBody(body, raw.body));
      return {
        features: featuresOf?.(checkedBody) ?? [],
        perform: async (actions, caller, features, idempotencyId) => {
          const given = await input({ ...head, caller, body: checkedBody, features }, idempotencyId);
          // The timeout is shorter than the lock of an Idempotency-Key.
          const output = await call(actions, definition.action, given, { timeout: requestTimeoutMs, isChecked: true });
          return finish(output, given, actions);
        },
      };
    },
  };
}

function leastRole({ scope, method }: Pick<Route, 'scope' | 'method'>): Role {
  if (scope === 'admin') return 'admin';
  return method === 'GET' ? 'reader' : 'editor';
}

/** Checks path ids, query and headers, in this order. @throws Refusal */
export function checkHead<P extends Fields, Q extends Fields, H extends Fields>(
  { params, query, headers }: { params: P; query: Q; headers?: H | undefined },
  raw: Omit<RawParts, 'body'>,
): { path: Shape<P>; query: Shape<Q>; headers: Shape<H> } {
  return {
    path: part('path', () => checkParams(params, raw.params)),
    query: part('query', () => checkQuery(query, raw.query)),
    headers: part('header', () => checkHeaderFields<H>(headers, raw.headers)),
  };
}

/** Runs a check of one part of the request; the part is added to a refusal's path, and its detail made a sentence. */
function part<T>(name: 'path' | 'query' | 'header' | 'body', check: () => T): T {
  try {
    return check();
  } catch (error) {
    within(error, name);
    if (error instanceof Refusal && error.data.fields !== undefined)
      throw sentence(error.data.fields, error.message, error.type);
    throw error;
  }
}

/** The refusal of a field, whose detail is the field's name followed by the check's message. */
export function sentence(fields: (string | number)[], message: string, type: ErrorCode = 'validation_error'): Refusal {
  const name = fields.join('.');
  const detail = `${name.length > 200 ? `${name.slice(0, 200).toWellFormed()}...` : name} ${message}.`;
  return new Refusal(type, { fields, detail });
}

function checkParams<P extends Fields>(fields: P, params: { readonly [name: string]: string }): Shape<P> {
  return checkQuery(fields, new Map(Object.entries(params).map(([name, text]) => [name, [text]])));
}

/** Errors name headers as the row does, whatever their letter case was. */
function checkHeaderFields<H extends Fields>(fields: H | undefined, sent: RawParts['headers']): Shape<H> {
  // A row without headers is declared with none.
  if (fields === undefined) return {} as Shape<H>;
  const named = Object.keys(fields).flatMap((name): [string, string[]][] => {
    const value = sent[name.toLowerCase()];
    return value === undefined ? [] : [[name, [value].flat()]];
  });
  return checkQuery(fields, new Map(named));
}

function checkBody<B>(schema: Schema<B> | null, body: unknown): B {
  if (schema !== null) return schema.check(body);
  const [name] = body === undefined ? [] : isObject(body) ? Object.keys(body) : [null];
  if (name === null) throw invalid([], 'must be an object');
  if (name !== undefined) throw unknownField(name, []);
  // Rows without a body are declared with B undefined.
  return undefined as B;
}
