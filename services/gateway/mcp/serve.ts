import type { IncomingMessage } from 'node:http';
import { callerOf, hasFeature, limitRate, refuseMisplacedKeys, takeFrom } from '../../../mixins/http/api/admission.ts';
import type { Identity } from '../../../mixins/http/api/access.ts';
import type { Api } from '../../../mixins/http/api/api.ts';
import { jsonOf, send, type Exchange } from '../../../mixins/http/api/exchange.ts';
import { failureOf } from '../../../mixins/http/api/failures.ts';
import { checkHead } from '../../../mixins/http/api/route.ts';
import { requireOwnOrigin } from '../../../mixins/http/api/session-cookie.ts';
import { isJson, isPlain, parseJson, readBody, refuseLargeBody } from '../../../mixins/http/body.ts';
import { parseQuery } from '../../../mixins/http/query.ts';
import { Refusal, refusalOf } from '../../../models/errors.ts';
import type { JsonObject } from '../../../models/json.ts';
import { asReader } from '../../../models/schemas/library.ts';
import { programVersion } from '../../../models/program-version.ts';
import { answerMessage, notJson, type ProtocolAnswer, type ToolServer } from './protocol.ts';
import { resultOf, tools, type Asker, type Tool } from './tools.ts';

/** Where language models reach the library, by the Model Context Protocol over HTTP. */
export const mcpPath = '/mcp';

/** Largest body of a message, in bytes, and values in it at most. */
const [maxBytes, maxValues] = [1024 * 1024, 20_000];

const info = { name: 'ply', title: 'Ply', version: programVersion };
const instructions =
  'Finds passages in the files of an organization. Use search for passages and answer for a short answer with citations, then read_passage to read more around what was found. Cite files by filename and place (page, line, slide or time).';

/**
 * Serves a message of the Model Context Protocol. Each stands alone: there are no sessions and no streams.
 * @throws Refusal, or what an action throws
 */
export async function serveMcp(api: Api, exchange: Exchange): Promise<void> {
  const { request, response, search } = exchange;
  refuseMisplacedKeys(exchange);
  if (request.method !== 'POST') throw new Refusal('method_not_allowed', { allow: ['POST'] });
  // Programs send no Origin; a page of another site must not reach a server on its reader's machine.
  if (request.headers.origin !== undefined) requireOwnOrigin(api.app.configuration, request);
  const identity = await identify(api, request);
  exchange.identity = identity;
  await limitRate(api, exchange, identity);
  const { query } = checkHead({ params: {}, query: asReader }, { params: {}, query: parseQuery(search), headers: {} });
  refuseLargeBody(request, maxBytes);
  if (!isJson(request.headers['content-type']) || !isPlain(request))
    throw new Refusal('unsupported_media_type', { detail: 'Bodies are application/json in UTF-8, not compressed.' });
  const bytes = await readBody(request, response, { maxBytes, maxValues, budget: api.bodies });
  try {
    const asker: Asker = {
      actions: api.actions,
      caller: callerOf(identity, exchange.requestId, api.addressOf(request)),
      principals: query.asReader || query.principals !== null ? query.principals : undefined,
    };
    const { status, body } = await answerBody(serverFor(api, exchange, identity, asker), bytes, request.headers);
    send(exchange, api.sender, { status, body: body === null ? '' : JSON.stringify(body) });
  } finally {
    api.bodies.release(bytes.length);
  }
}

/**
 * The key of a request, as everywhere or as a bearer token, and the organization: the account's own where none is named,
 * because not every client of the protocol can be told to send further headers.
 * @throws Refusal 400, 401, 403
 */
function identify({ access, actions, app }: Api, { headers, socket, method }: IncomingMessage): Promise<Identity> {
  const { authorization } = headers;
  // Never a session: a message may come from a model, which must not act as the person who is signed in.
  if (authorization === undefined) throw new Refusal('api_key_required');
  const withKey = { ...headers, authorization: authorization.replace(/^bearer +/i, 'ApiKey ') };
  return access.identify(actions, { headers: withKey, socket, method }, app.configuration, { isOwnByDefault: true });
}

async function answerBody(
  server: ToolServer,
  bytes: Buffer,
  headers: IncomingMessage['headers'],
): Promise<ProtocolAnswer> {
  let message: unknown;
  try {
    message = parseJson(bytes);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return notJson(refusal.data.detail ?? 'The body is not JSON.');
  }
  return answerMessage(server, { message, headers });
}

/** What a key may use, in the name of the asker. */
function serverFor(api: Api, exchange: Exchange, identity: Identity, asker: Asker): ToolServer {
  const offered = tools.filter(({ feature }) => feature === null || hasFeature(identity.key.features, feature));
  return {
    info,
    instructions,
    tools: () => offered.map((tool) => tool.describe(asker.principals !== undefined)),
    callTool: async (name, given) => {
      const tool = offered.find((each) => each.name === name);
      return tool === undefined ? null : callTool(api, exchange, identity, asker, tool, given);
    },
  };
}

/** Calls a tool. A failure is a result too, so that the model sees the reason and can do better. */
async function callTool(
  { app }: Api,
  exchange: Exchange,
  { key, organizationId }: Identity,
  asker: Asker,
  tool: Tool,
  given: JsonObject,
): Promise<JsonObject> {
  const { requestId } = exchange;
  try {
    if (tool.rate !== null) {
      const limit = key.limits[tool.rate] ?? key.limits.requests;
      await takeFrom(app, exchange, `${tool.rate}:${organizationId}`, limit);
    }
    return resultOf(await tool.run(asker, given));
  } catch (error) {
    const failure = failureOf(error);
    if (failure.internal) app.log.error({ err: error, requestId, tool: tool.name }, 'a tool failed');
    return { content: [{ type: 'text', text: String(jsonOf(failure, requestId).body) }], isError: true };
  }
}
