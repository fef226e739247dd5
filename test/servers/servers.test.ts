import { connect } from 'node:net';
import { describeWithServers } from '../support/servers.ts';

/** Sends a line of a text protocol and answers the first piece that comes back. */
function say(url: string, line: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(line));
    socket.on('error', reject);
    socket.on('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
  });
}

await describeWithServers('a test server', ['redis'], ({ redis }) => {
  it('keeps its port and its data over a kill and a restart', async () => {
    expect(await say(redis.url, 'SET marker kept\r\n')).toBe('+OK\r\n');
    // What was answered more than a second ago is on disk (appendfsync everysec).
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await redis.kill();
    await expect(say(redis.url, 'PING\r\n')).rejects.toThrow('ECONNREFUSED');
    await redis.restart();
    expect(await say(redis.url, 'GET marker\r\n')).toBe('$4\r\nkept\r\n');
  });
});

await describeWithServers('NATS for tests', ['nats'], ({ nats }) => {
  it('has JetStream', async () => {
    expect(await say(nats.url, '')).toContain('"jetstream":true');
  });
});
