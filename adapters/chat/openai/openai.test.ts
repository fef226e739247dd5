import type { Chat, ChatMessage } from '../port.ts';
import { openOpenAiChat, type OpenAiChatOptions } from './openai.ts';
import { ChatDouble, type ChatBehaviour } from './test-server.ts';

const messages: ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What is it?' },
];

describe('a chat server with the interface of OpenAI', () => {
  let server: ChatDouble;
  let url: string;
  const opened: Chat[] = [];
  beforeEach(async () => {
    server = new ChatDouble();
    url = await server.start();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((chat) => chat.close()));
    await server.stop();
  });

  function open(more: Partial<OpenAiChatOptions> = {}): Chat {
    const chat = openOpenAiChat({
      url,
      model: 'writer',
      key: 'secret',
      seconds: 60,
      runtime: { now: () => Date.now(), random: () => 0.1 },
      ...more,
    });
    opened.push(chat);
    return chat;
  }

  it('is requested without streaming, with the key, and its text is trimmed', async () => {
    server.next.push({ kind: 'say', text: '  <think>Hm.</think>\n It is so [1]. \n' });
    expect(await open({ url: `${url}/` }).complete(messages)).toBe('It is so [1].');
    expect(server.seen).toEqual([
      {
        path: '/v1/chat/completions',
        authorization: 'Bearer secret',
        body: { model: 'writer', messages, stream: false, max_tokens: 1000, temperature: 0 },
      },
    ]);
    await open({ key: null }).complete(messages);
    expect(server.seen[1]?.authorization).toBeUndefined();
  });

  it.each<[string, ChatBehaviour, RegExp]>([
    ['500', { kind: 'status', status: 500 }, /answered 500/],
    ['401', { kind: 'status', status: 401 }, /answered 401/],
    ['502', { kind: 'status', status: 502 }, /answered 502/],
    ['a broken connection', { kind: 'hang up' }, /does not answer as it should/],
    ['no JSON', { kind: 'body', body: '{"choices": [{"mess' }, /no JSON/],
    ['other JSON', { kind: 'body', body: '[1]' }, /no text/],
    ['no choices', { kind: 'body', body: '{"choices": []}' }, /no text/],
    ['null for a text', { kind: 'body', body: '{"choices": [{"message": {"content": null}}]}' }, /no text/],
    ['an empty text', { kind: 'say', text: ' \n' }, /answered nothing/],
    ['thoughts alone', { kind: 'say', text: '<think>Hm.</think>' }, /answered nothing/],
    ['a text that was cut off', { kind: 'say', text: 'It is', finish: 'length' }, /cut off/],
    ['a text that is too long', { kind: 'say', text: 'x'.repeat(8001) }, /more than 8000/],
    ['far too much', { kind: 'endless' }, /bytes/],
    ['a redirect', { kind: 'status', status: 302 }, /answered 302|as it should/],
  ])('that answers %s is unusable, and is not asked again', async (_, behaviour, reason) => {
    server.next.push(behaviour);
    const failure: unknown = await open()
      .complete(messages)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ChatUnusable', message: expect.stringMatching(reason) });
    expect(server.seen).toHaveLength(1);
  });

  it('is aborted after the time limit', async () => {
    server.usual = { kind: 'hang' };
    await expect(open({ seconds: 0.3 }).complete(messages)).rejects.toMatchObject({
      name: 'ChatUnusable',
      message: 'the chat server takes too long',
    });
    expect(server.seen).toHaveLength(1);
  });

  it.each([429, 503])('that responds with %d is retried within the time limit', async (status) => {
    server.next.push({ kind: 'status', status }, { kind: 'status', status, retryAfter: '0' });
    expect(await open().complete(messages)).toBe('It is so [1].');
    expect(server.seen).toHaveLength(3);
    server.next.push({ kind: 'status', status, retryAfter: '60' });
    await expect(open().complete(messages)).rejects.toMatchObject({ message: `the chat server answered ${status}` });
    expect(server.seen).toHaveLength(4);
    server.usual = { kind: 'status', status };
    await expect(open().complete(messages)).rejects.toMatchObject({ name: 'ChatUnusable' });
    expect(server.seen).toHaveLength(7);
  });

  it('that cannot be reached is unusable', async () => {
    await server.stop();
    await expect(open().complete(messages)).rejects.toMatchObject({
      name: 'ChatUnusable',
      message: 'the chat server cannot be reached',
    });
    await server.start();
  });

  it('responds to a ping with its list of models, or without one', async () => {
    for (const status of [200, 404, 405]) {
      server.models = status;
      await expect(open().ping()).resolves.toBeUndefined();
    }
    for (const status of [401, 403, 500, 503]) {
      server.models = status;
      await expect(open().ping()).rejects.toMatchObject({
        name: 'ChatUnusable',
        message: `the chat server answered ${status}`,
      });
    }
    expect(server.seen).toEqual([]);
    await server.stop();
    await expect(open().ping()).rejects.toMatchObject({ name: 'ChatUnusable' });
    await server.start();
  });

  it('may list any number of models', async () => {
    server.listed = 20_000;
    const chat = open();
    for (let time = 0; time < 3; time += 1) await expect(chat.ping()).resolves.toBeUndefined();
  });

  it('is requested by the next ping after a failure, even soon after a response', async () => {
    const chat = open();
    await chat.complete(messages);
    server.usual = { kind: 'status', status: 500 };
    server.models = 500;
    await expect(chat.ping()).resolves.toBeUndefined();
    await expect(chat.complete(messages)).rejects.toMatchObject({ name: 'ChatUnusable' });
    await expect(chat.ping()).rejects.toMatchObject({ name: 'ChatUnusable' });
  });

  it('is not requested by a ping soon after a response', async () => {
    let now = 1_000_000;
    const chat = open({ runtime: { now: () => now, random: () => 0.1 } });
    await chat.complete(messages);
    await chat.ping();
    expect(server.pings).toBe(0);
    now += 61_000;
    await chat.ping();
    expect(server.pings).toBe(1);
  });

  it('that supports only the newer name of the limit gets it in all further requests', async () => {
    server.refused.add('max_tokens');
    const chat = open();
    expect(await chat.complete(messages)).toBe('It is so [1].');
    expect(await chat.complete(messages)).toBe('It is so [1].');
    expect(server.seen.map(({ body }) => Object.keys(body).sort().join())).toEqual([
      'max_tokens,messages,model,stream,temperature',
      ...Array<string>(2).fill('max_completion_tokens,messages,model,stream'),
    ]);
  });

  it('gets no requests after it is closed', async () => {
    server.usual = { kind: 'hang' };
    const chat = open();
    const pending = chat.complete(messages);
    // It fails before it is awaited below.
    pending.catch(() => undefined);
    await chat.close();
    await expect(pending).rejects.toMatchObject({ name: 'ChatUnusable' });
  });
});
