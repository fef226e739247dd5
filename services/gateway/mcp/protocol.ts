import type { JsonObject } from '../../../models/json.ts';
import { isObject } from '../../../models/schemas/schema.ts';

/*
 * The part of the Model Context Protocol that a server of tools needs, without state between messages. Versions up to
 * 2025-11-25 begin with `initialize`; from 2026-07-28 on each message says its version.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */

/** The version that needs no `initialize`. */
const modernVersion = '2026-07-28';
/** Versions that begin with `initialize`, the latest first. */
const handshakeVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const allVersions = [modernVersion, ...handshakeVersions];

/** Error codes of JSON-RPC and of the protocol (basic/index, Error Codes). */
const codes = {
  notJson: -32700,
  notRequest: -32600,
  unknownMethod: -32601,
  badParams: -32602,
  headerMismatch: -32020,
  unknownVersion: -32022,
} as const;

/** Members of `_meta` that say how a message, or a result, is to be read. */
const metaNames = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  server: 'io.modelcontextprotocol/serverInfo',
} as const;

/** Milliseconds that clients may keep the list of tools. */
const listTtlMs = 300_000;

/** What answers the messages. */
export interface ToolServer {
  info: { name: string; title: string; version: string };
  /** How the tools belong together, for the model. */
  instructions: string;
  tools: () => readonly JsonObject[];
  /** The result of a call; null where there is no such tool. */
  callTool: (name: string, given: JsonObject) => Promise<JsonObject | null>;
}

/** A message as it was received, with the headers that go with it. */
export interface ReceivedMessage {
  message: unknown;
  /** By their names in lower case. */
  headers: { readonly [name: string]: string | string[] | undefined };
}

/** What is sent back: null for no body. */
export interface ProtocolAnswer {
  status: number;
  body: JsonObject | null;
}

type Id = string | number;

/** An error of the protocol. */
class ProtocolError extends Error {
  readonly code: number;
  readonly status: number;
  readonly details: JsonObject | null;

  constructor(code: number, message: string, { status, data }: { status: number; data?: JsonObject }) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
    this.status = status;
    this.details = data ?? null;
  }
}

/** The answer to a body that is not JSON. */
export function notJson(message: string): ProtocolAnswer {
  return failed(null, new ProtocolError(codes.notJson, message, { status: 400 }));
}

/** Answers a message. Failures of a tool are results; @throws what the tools throw besides */
export async function answerMessage(
  server: ToolServer,
  { message, headers }: ReceivedMessage,
): Promise<ProtocolAnswer> {
  const refuse = (why: string): ProtocolAnswer =>
    failed(null, new ProtocolError(codes.notRequest, why, { status: 400 }));
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0')
    return refuse('The body must be one message of JSON-RPC 2.0.');
  const { id, method, params = {} } = message;
  // A response: the server has asked nothing.
  if (method === undefined && ('result' in message || 'error' in message)) return { status: 202, body: null };
  if (typeof method !== 'string') return refuse('A request has a method.');
  if (id === undefined) return { status: 202, body: null };
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return refuse('The id must be a text or a whole number.');
  const requestId = id as Id;
  if (!isJsonObject(params)) return refuse('The parameters must be an object.');
  try {
    const isModern = checkVersion(method, params, headers);
    const result = await answerMethod(server, method, params, isModern);
    return {
      status: 200,
      body: { jsonrpc: '2.0', id: requestId, result: isModern ? complete(server, result) : result },
    };
  } catch (error) {
    if (error instanceof ProtocolError) return failed(requestId, error);
    throw error;
  }
}

function failed(id: Id | null, { code, message, status, details }: ProtocolError): ProtocolAnswer {
  const error = { code, message, ...(details === null ? {} : { data: details }) };
  return { status, body: { jsonrpc: '2.0', ...(id === null ? {} : { id }), error } };
}

/** Results of the modern version say that they are whole, and who made them. */
function complete({ info }: ToolServer, result: JsonObject): JsonObject {
  return { resultType: 'complete', ...result, _meta: { [metaNames.server]: info } };
}

/** Checks the version that a message is written in. @returns whether it is the modern one. @throws ProtocolError */
function checkVersion(method: string, params: JsonObject, headers: ReceivedMessage['headers']): boolean {
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const named = meta[metaNames.version];
  const header = headers['mcp-protocol-version'];
  const isHandshake = method === 'initialize';
  const version = named ?? (isHandshake ? undefined : header);
  if (version !== undefined && (typeof version !== 'string' || !allVersions.includes(version)))
    throw new ProtocolError(codes.unknownVersion, 'Unsupported protocol version', {
      status: 400,
      data: { supported: allVersions, requested: typeof version === 'string' ? version : '' },
    });
  if (version !== modernVersion) return false;
  if (named === undefined || !isJsonObject(meta[metaNames.capabilities]))
    throw new ProtocolError(codes.badParams, `_meta must have ${metaNames.version} and ${metaNames.capabilities}.`, {
      status: 400,
    });
  const { name } = params;
  requireHeader('MCP-Protocol-Version', header, modernVersion);
  requireHeader('Mcp-Method', headers['mcp-method'], method);
  if (method === 'tools/call') requireHeader('Mcp-Name', headers['mcp-name'], typeof name === 'string' ? name : '');
  return true;
}

/** @throws ProtocolError where a header does not say what the body says */
function requireHeader(name: string, sent: string | string[] | undefined, expected: string): void {
  if (typeof sent === 'string' && decoded(sent) === expected) return;
  throw new ProtocolError(codes.headerMismatch, `The header ${name} must say what the body says.`, { status: 400 });
}

/** A header's value; what does not fit into headers is sent as `=?base64?...?=`. */
function decoded(value: string): string {
  const [, coded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value) ?? [];
  return coded === undefined ? value : Buffer.from(coded, 'base64').toString('utf8');
}

/** @throws ProtocolError */
async function answerMethod(
  server: ToolServer,
  method: string,
  params: JsonObject,
  isModern: boolean,
): Promise<JsonObject> {
  const { instructions, info } = server;
  const capabilities = { tools: {} };
  const cached = isModern ? { ttlMs: listTtlMs, cacheScope: 'private' } : {};
  if (method === 'tools/list') return { tools: [...server.tools()], ...cached };
  if (method === 'tools/call') return callTool(server, params);
  if (isModern && method === 'server/discover')
    return { supportedVersions: allVersions, capabilities, instructions, ...cached };
  if (!isModern && method === 'ping') return {};
  if (!isModern && method === 'initialize') {
    const { protocolVersion } = params;
    const agreed = handshakeVersions.find((version) => version === protocolVersion) ?? handshakeVersions[0] ?? '';
    return { protocolVersion: agreed, capabilities, serverInfo: info, instructions };
  }
  throw new ProtocolError(codes.unknownMethod, 'Method not found', { status: isModern ? 404 : 200 });
}

/** @throws ProtocolError for a tool that is not there */
async function callTool(server: ToolServer, params: JsonObject): Promise<JsonObject> {
  const { name, arguments: given = {} } = params;
  const result = typeof name === 'string' && isJsonObject(given) ? await server.callTool(name, given) : null;
  if (result !== null) return result;
  const named = typeof name === 'string' ? name.slice(0, 100) : 'none';
  const why = isJsonObject(given) ? `Unknown tool: ${named}` : 'The arguments must be an object.';
  throw new ProtocolError(codes.badParams, why, { status: 200 });
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}
