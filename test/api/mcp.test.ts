import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ModelClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { content, expectRefused, type Answer, type ErrorBody } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const modern = '2026-07-28';
/** The versions of the protocol that the official client speaks, by how it is told to. */
const eras = [
  { era: 'legacy', versionNegotiation: { mode: 'legacy' } },
  { era: 'modern', versionNegotiation: { mode: { pin: modern } } },
] as const;

let program: TestProgram;
const opened: ModelClient[] = [];
beforeAll(async () => {
  program = await startTestProgram();
  const { standard, source } = program;
  const ids: string[] = [];
  for (const name of ['search.md', 'webhooks.md', 'signing.md']) {
    const text = readFileSync(join(projectRoot, 'docs', name), 'utf8');
    ids.push((await standard.indexed({ externalId: name, filename: name, ...source.put(name, text) })).assetId);
  }
  const secret = await standard.indexed({
    externalId: 'pay',
    filename: 'pay.txt',
    ...source.put('pay.txt', 'The salary of the director is 212,000 euros a year.'),
    principals: ['group:board'],
  });
  const collections = { guides: ids, 'Pay of the board': [secret.assetId] };
  for (const [name, add] of Object.entries(collections)) {
    const path = `${content}/collections/${name.replaceAll(' ', '-')}`;
    await standard.get(200, 'PUT', path, { body: { name } });
    await standard.get(200, 'PUT', `${path}/assets`, { body: { add } });
  }
});
afterAll(async () => {
  await Promise.all(opened.map((client) => client.close()));
  await program.end();
});

interface Opening {
  versionNegotiation?: (typeof eras)[number]['versionNegotiation'];
  query?: string;
  authorization?: string;
}

async function overHttp({ versionNegotiation, query = '', authorization }: Opening = {}): Promise<ModelClient> {
  const client = new ModelClient(
    { name: 'test', version: '1' },
    versionNegotiation === undefined ? {} : { versionNegotiation },
  );
  const { key, organizationId } = program.standard;
  const headers = { Authorization: authorization ?? `ApiKey ${key}`, 'X-Organization-Id': organizationId };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${program.url}/mcp${query}`), { requestInit: { headers } }),
  );
  opened.push(client);
  return client;
}

async function overStdio(words: string[], versionNegotiation: Opening['versionNegotiation']): Promise<ModelClient> {
  const client = new ModelClient(
    { name: 'test', version: '1' },
    versionNegotiation === undefined ? {} : { versionNegotiation },
  );
  const { key, organizationId, url } = program.standard;
  const env = { ...process.env, PLY_API_URL: url, PLY_API_KEY: key, PLY_ORGANIZATION_ID: organizationId };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['scripts/launch.mjs', 'ply', 'mcp', ...words],
      cwd: projectRoot,
      env: Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined)),
    }),
  );
  opened.push(client);
  return client;
}

interface Passage {
  passageId: string;
  filename: string;
  snippet: string;
  location: { lineStart?: number };
}
interface Read {
  filename: string;
  passages: { passageId: string; asked: boolean; text: string }[];
}

/** Calls a tool that must succeed, whose text is its structured content. */
async function use<T>(client: ModelClient, name: string, given: Record<string, unknown>): Promise<T> {
  const { content: blocks, structuredContent, isError } = await client.callTool({ name, arguments: given });
  const [block] = blocks;
  const text = block?.type === 'text' ? block.text : '';
  expect([isError ?? false, JSON.parse(text)]).toEqual([false, structuredContent]);
  return structuredContent as T;
}

/** Calls a tool that must fail, and returns what the model sees. */
async function fail(client: ModelClient, name: string, given: Record<string, unknown>): Promise<ErrorBody> {
  const { content: blocks, isError } = await client.callTool({ name, arguments: given });
  const [block] = blocks;
  expect(isError).toBe(true);
  return JSON.parse(block?.type === 'text' ? block.text : '{}');
}

const about = { query: 'after how many failed attempts does a webhook endpoint become inactive' };

async function walk(client: ModelClient): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['search', 'answer', 'read_passage', 'list_collections']);
  const { items } = await use<{ items: Passage[] }>(client, 'search', about);
  const [first] = items;
  expect(first).toMatchObject({ filename: 'webhooks.md', location: { lineStart: expect.any(Number) } });
  const { answer, citations } = await use<{ answer: string; citations: Passage[] }>(client, 'answer', about);
  expect([answer, citations[0]?.filename]).toEqual([expect.stringContaining('[1]'), 'webhooks.md']);
  const { passages } = await use<Read>(client, 'read_passage', {
    passageId: items.find(({ passageId }) => !passageId.endsWith('.0'))?.passageId,
    before: 1,
    after: 2,
  });
  expect(passages.map(({ asked }) => asked).slice(0, 2)).toEqual([false, true]);
  const text = readFileSync(join(projectRoot, 'docs/webhooks.md'), 'utf8');
  const { passages: cited } = await use<Read>(client, 'read_passage', {
    passageId: citations[0]?.passageId,
    before: 0,
    after: 0,
  });
  expect(cited).toHaveLength(1);
  expect(text).toContain(cited[0]?.text.split('\n').find((line) => line.length > 40));
  expect(await use(client, 'list_collections', {})).toEqual({
    items: [{ externalId: 'guides', name: 'guides', metadata: {} }],
    nextOffset: null,
  });
}

describe('language models', () => {
  it.each(eras)('use the tools over HTTP with the official client, $era', async ({ versionNegotiation }) => {
    const client = await overHttp({ versionNegotiation });
    await walk(client);
    expect(client.getServerVersion()).toMatchObject({ name: 'ply' });
    expect(client.getInstructions()).toContain('read_passage');
  });

  it.each(eras)('use the tools over standard input with the official client, $era', async ({ versionNegotiation }) => {
    await walk(await overStdio([], versionNegotiation));
  });

  it('find what the reader may see, and nothing else', async () => {
    const asked = { query: 'salary of the director' };
    const named = await overHttp();
    const granted = { principals: ['group:board'] };
    const { items } = await use<{ items: Passage[] }>(named, 'search', { ...asked, ...granted });
    expect(items.map(({ filename }) => filename)).toEqual(['pay.txt']);
    const passageId = items[0]?.passageId;
    expect((await use<Read>(named, 'read_passage', { passageId, ...granted })).passages[0]?.text).toContain('212,000');
    expect((await use<{ items: object[] }>(named, 'list_collections', granted)).items).toHaveLength(2);
    const clients = [
      named,
      await overHttp({ query: '?asReader=true' }),
      await overHttp({ query: '?principals=group:staff&principals=user:7' }),
      await overStdio(['--as', 'group:staff'], undefined),
    ];
    for (const client of clients) {
      expect(
        (await use<{ items: Passage[] }>(client, 'search', asked)).items.map(({ filename }) => filename),
      ).not.toContain('pay.txt');
      expect((await use<{ citations: object[] }>(client, 'answer', asked)).citations).toEqual([]);
      expect(await fail(client, 'read_passage', { passageId })).toMatchObject({ code: 'asset_not_found' });
      expect((await use<{ items: object[] }>(client, 'list_collections', {})).items).toHaveLength(1);
    }
    const board = await overStdio(['--as', 'group:board'], undefined);
    expect((await use<Read>(board, 'read_passage', { passageId })).filename).toBe('pay.txt');
  });

  it('cannot choose the reader where the connection names one', async () => {
    const client = await overHttp({ query: '?principals=group:staff' });
    const { tools } = await client.listTools();
    expect(tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))).not.toContain('principals');
    for (const { name } of tools) {
      const given = { ...about, passageId: `${crypto.randomUUID()}.1.0`, principals: ['group:board'] };
      const known = Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
      const own = Object.entries(given).filter(([field]) => known.includes(field) || field === 'principals');
      expect(await fail(client, name, Object.fromEntries(own))).toMatchObject({
        code: 'validation_error',
        field: 'arguments.principals',
      });
    }
  });

  it('see which argument is wrong, and why a passage is not there', async () => {
    const client = await overHttp();
    const refused: [string, Record<string, unknown>, object][] = [
      ['search', {}, { code: 'validation_error', field: 'arguments.query' }],
      ['search', { query: 'x', limit: 101 }, { code: 'validation_error', field: 'arguments.limit' }],
      ['search', { query: 'x', colour: 1 }, { code: 'validation_error', field: 'arguments.colour' }],
      ['search', { query: 'x', filter: { assetIds: ['x'] } }, { field: 'arguments.filter.assetIds.0' }],
      ['answer', { query: 'x', principals: 'board' }, { field: 'arguments.principals' }],
      ['read_passage', { passageId: 'first' }, { field: 'arguments.passageId' }],
      ['read_passage', { passageId: `${crypto.randomUUID()}.1.0` }, { code: 'asset_not_found' }],
      ['list_collections', { limit: 0 }, { field: 'arguments.limit' }],
    ];
    for (const [name, given, expected] of refused) expect(await fail(client, name, given)).toMatchObject(expected);
    const { items } = await use<{ items: Passage[] }>(client, 'search', about);
    const [assetId = ''] = items[0]?.passageId.split('.') ?? [];
    for (const place of ['1.9999', '2.0'])
      expect(await fail(client, 'read_passage', { passageId: `${assetId}.${place}` })).toMatchObject({
        code: 'passage_not_found',
      });
    await expect(client.callTool({ name: 'delete_all', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });

  it('are answered for their own organization alone', async () => {
    const others = program.admin.as((await program.admin.createOrganization('Others')).id);
    const { body } = await others.ask('POST', '/mcp', { body: called('search', about, false) });
    expect(body).toMatchObject({ result: { structuredContent: { items: [] } } });
    const { items } = await use<{ items: Passage[] }>(await overHttp(), 'search', about);
    const read = await others.ask('POST', '/mcp', {
      body: called('read_passage', { passageId: items[0]?.passageId }, false),
    });
    expect(JSON.stringify(read.body)).toContain('asset_not_found');
  });
});

const _meta = { 'io.modelcontextprotocol/protocolVersion': modern, 'io.modelcontextprotocol/clientCapabilities': {} };

/** A call of a tool, in the version that needs no handshake, or in an earlier one. */
function called(name: string, given: object, isModern = true): object {
  const params = { name, arguments: given, ...(isModern ? { _meta } : {}) };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

describe('/mcp', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const send = (body: unknown, headers: Record<string, string> = {}): Promise<Answer<ErrorBody>> =>
    program.standard.ask('POST', '/mcp', { body, headers });
  const inModern = { 'MCP-Protocol-Version': modern, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'search' };

  it('takes a bearer token, and the own organization where none is named', async () => {
    const { key } = program.standard;
    const { status, body } = await send(list, { Authorization: `Bearer ${key}`, 'X-Organization-Id': '' });
    expect([status, body]).toMatchObject([200, { id: 1, result: { tools: expect.any(Array) } }]);
  });

  it('refuses who has no key, a session and pages of other sites', async () => {
    expectRefused(await send(list, { Authorization: '' }), [401, 'api_key_required']);
    const cookie = `ply_session=${'a'.repeat(43)}`;
    expectRefused(await send(list, { Authorization: '', Cookie: cookie }), [401, 'api_key_required']);
    expectRefused(await send(list, { Authorization: 'Bearer nothing' }), [401, 'invalid_api_key']);
    expectRefused(await send(list, { Origin: 'https://evil.example' }), [403, 'origin_not_allowed']);
    expect((await send(list, { Origin: program.url })).status).toBe(200);
    const stranger = { 'X-Organization-Id': crypto.randomUUID() };
    expectRefused(await send(list, stranger), [403, 'organization_forbidden']);
    const inAddress = await program.standard.ask('POST', '/mcp?apiKey=x', { body: list });
    expectRefused(inAddress, [401, 'api_key_required']);
  });

  it('takes one message of JSON by POST', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const refused = await program.standard.ask(method, '/mcp');
      expectRefused(refused, [405, 'method_not_allowed']);
      expect(refused.headers.get('allow')).toBe('POST');
    }
    const raw = (type: string, body: string): Promise<Answer<ErrorBody>> =>
      program.standard.ask('POST', '/mcp', { raw: { type, body } });
    expectRefused(await raw('text/plain', '{}'), [415, 'unsupported_media_type']);
    expectRefused(await raw('application/json', ' '.repeat(1024 * 1024 + 1)), [413, 'payload_too_large']);
    expect(await raw('application/json', '{')).toMatchObject({ status: 400, body: { error: { code: -32700 } } });
    const empty = await program.standard.ask('POST', '/mcp?principals=', { body: list });
    expectRefused(empty, [422, 'validation_error', ['query', 'principals', 0]]);
  });

  it.each([
    ['a list', [list], {}, 400, -32600],
    ['another version of JSON-RPC', { ...list, jsonrpc: '1.0' }, {}, 400, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, {}, 400, -32600],
    ['an id that is no id', { ...list, id: {} }, {}, 400, -32600],
    ['an unknown method', { ...list, method: 'resources/list' }, {}, 200, -32601],
    ['a call without a tool', { ...list, method: 'tools/call' }, {}, 200, -32602],
    ['an unknown version', list, { 'MCP-Protocol-Version': '1999-01-01' }, 400, -32022],
    ['a version that the body does not name', list, { 'MCP-Protocol-Version': modern }, 400, -32602],
    ['headers that are missing', called('search', about), {}, 400, -32020],
    ['headers of another tool', called('answer', about), inModern, 400, -32020],
  ])('refuses %s', async (_, body, headers, status, code) => {
    expect(await send(body, headers)).toMatchObject({ status, body: { jsonrpc: '2.0', error: { code } } });
  });

  it('answers nothing to notifications, and agrees on a version', async () => {
    const { status, body } = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, body]).toEqual([202, {}]);
    for (const [asked, agreed] of [
      ['2025-06-18', '2025-06-18'],
      ['2030-01-01', '2025-11-25'],
    ]) {
      const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const opening = await send({ jsonrpc: '2.0', id: 'a', method: 'initialize', params });
      expect(opening.body).toMatchObject({ id: 'a', result: { protocolVersion: agreed, capabilities: { tools: {} } } });
    }
    const found = await send(called('search', about), { ...inModern, 'Mcp-Name': '=?base64?c2VhcmNo?=' });
    expect(found.body).toMatchObject({ result: { resultType: 'complete' } });
    expect(Number(found.headers.get('ratelimit-remaining'))).toBeLessThan(Number(found.headers.get('ratelimit-limit')));
  });
});
