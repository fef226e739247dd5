import { createServer } from 'node:net';

/**
 * Makes sure that a port can be listened on, before anything is written that can be told only once. Port 0 always can.
 * @throws the error of the socket, such as EADDRINUSE
 */
export async function expectFreePort(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => resolve());
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
