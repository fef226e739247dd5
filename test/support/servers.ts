import { startServer, type TestServer } from '../servers/servers.ts';
import type { ServerName } from '../servers/install.ts';

/**
 * Registers a suite of tests that needs servers: starts them before, stops them after. If a server is not available,
 * the suite is one skipped test whose name has the reason. Use it at the top of a test file: `await
 * describeWithServers('records in MongoDB', ['mongo'], ({ mongo }) => { ... })`.
 */
export async function describeWithServers<N extends ServerName>(
  title: string,
  names: readonly N[],
  suite: (servers: Record<N, TestServer>) => void,
): Promise<void> {
  const started: Partial<Record<N, TestServer>> = {};
  const missing: string[] = [];
  for (const name of names) {
    const server = await startServer(name);
    if ('unavailable' in server) missing.push(server.unavailable);
    else started[name] = server;
  }
  if (missing.length > 0 || !areAllRunning(started, names)) {
    await stopAll(started);
    skipWithReason(title, missing.join('; '));
    return;
  }
  const servers = started;
  describe(title, () => {
    afterAll(() => stopAll(servers), 60_000);
    suite(servers);
  });
}

/** Registers a skipped test instead of a suite that cannot run here, with the reason in its name. */
export function skipWithReason(title: string, reason: string): void {
  describe(title, () => {
    it.skip(`SKIPPED, because ${reason}`, () => undefined);
  });
}

function areAllRunning<N extends ServerName>(
  servers: Partial<Record<N, TestServer>>,
  names: readonly N[],
): servers is Record<N, TestServer> {
  return names.every((name) => servers[name] !== undefined);
}

async function stopAll(servers: Partial<Record<ServerName, TestServer>>): Promise<void> {
  await Promise.all(Object.values(servers).map((server) => server.stop()));
}
