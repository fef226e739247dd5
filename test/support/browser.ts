import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureProgram } from '../../scripts/setup/system.ts';

/** A page in headless Chromium. */
export interface TestBrowser {
  /** Opens an address, and waits until it has loaded. */
  open(url: string): Promise<void>;
  /** The value of an expression in the page; of a promise, what it resolves to. @throws what the page throws */
  evaluate<T>(expression: string): Promise<T>;
  close(): Promise<void>;
}

interface Message {
  id?: number;
  method?: string;
  result?: { result?: { value?: unknown }; exceptionDetails?: { text: string; exception?: { description?: string } } };
}

/**
 * Opens a page in Debian's Chromium, over the DevTools protocol (https://chromedevtools.github.io/devtools-protocol/).
 * Returns why it is not available as text.
 */
export async function openBrowser(): Promise<TestBrowser | string> {
  const present = await ensureProgram(['chromium', '--version'], ['chromium']);
  if (!present.ok) return `Chromium is not available: ${present.reason}`;
  const folder = mkdtempSync(join(tmpdir(), 'ply-browser-'));
  const chromium = spawn(
    'chromium',
    [
      ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--mute-audio'],
      ...['--autoplay-policy=no-user-gesture-required', '--remote-debugging-port=0', `--user-data-dir=${folder}`],
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const close = async (): Promise<void> => {
    if (chromium.exitCode === null) {
      chromium.kill('SIGKILL');
      await once(chromium, 'exit');
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const port = await portOf(chromium.stderr);
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[];
    const page = targets.find(({ type }) => type === 'page');
    if (page === undefined) throw new Error('Chromium has no page');
    const socket = new WebSocket(page.webSocketDebuggerUrl);
    await once(socket, 'open');
    return { ...protocolOf(socket), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The port that Chromium says it listens at. */
async function portOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, port] = /^DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(line) ?? [];
    if (port !== undefined) {
      output.resume();
      return port;
    }
  }
  throw new Error('Chromium ended at once');
}

function protocolOf(socket: WebSocket): Omit<TestBrowser, 'close'> {
  let sent = 0;
  const waiting = new Map<number, (message: Message) => void>();
  let loaded: () => void = () => undefined;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.method === 'Page.loadEventFired') loaded();
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  });
  const ask = (method: string, params: object = {}): Promise<Message> =>
    new Promise((resolve) => {
      const id = (sent += 1);
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    open: async (url) => {
      await ask('Page.enable');
      const done = new Promise<void>((resolve) => (loaded = resolve));
      await ask('Page.navigate', { url });
      await done;
    },
    evaluate: async <T>(expression: string): Promise<T> => {
      const { result } = await ask('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      const thrown = result?.exceptionDetails;
      if (thrown !== undefined) throw new Error(thrown.exception?.description ?? thrown.text);
      return result?.result?.value as T;
    },
  };
}
