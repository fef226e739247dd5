import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { describeWithServers } from '../support/servers.ts';

/** Sends a line of a text protocol and returns the first chunk of the response. */
function send(url: string, line: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(line));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed without an answer')));
    socket.on('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
  });
}

/** Connects until the connection is refused; returns the error. */
async function untilRefused(url: string): Promise<string> {
  for (;;) {
    try {
      await send(url, 'PING\r\n');
      await sleep(20);
    } catch (error) {
      // An open connection is reset first; then connections are refused.
      if (!String(error).includes('ECONNRESET')) return String(error);
      await sleep(20);
    }
  }
}

await describeWithServers('a test server', ['redis'], ({ redis }) => {
  it('keeps its port and its data over a kill and a restart', async () => {
    expect(await send(redis.url, 'SET marker kept\r\n')).toBe('+OK\r\n');
    // Writes are on disk a second after their response (appendfsync everysec).
    await sleep(1200);
    await redis.kill();
    await expect(send(redis.url, 'PING\r\n')).rejects.toThrow('ECONNREFUSED');
    await redis.restart();
    expect(await send(redis.url, 'GET marker\r\n')).toBe('$4\r\nkept\r\n');
  });

  it('ends with the process that started it', async () => {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'testing/start-redis.ts')],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [url] = (await once(child.stdout, 'data')) as unknown[];
    expect(await send(String(url), 'PING\r\n')).toBe('+PONG\r\n');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect(untilRefused(String(url))).resolves.toMatch('ECONNREFUSED');
  });
});

await describeWithServers('NATS for tests', ['nats'], ({ nats }) => {
  it('has JetStream', async () => {
    expect(await send(nats.url, '')).toContain('"jetstream":true');
  });
});

await describeWithServers('the records for tests', ['mongo'], ({ mongo }) => {
  it('keep acknowledged writes over a kill', async () => {
    const write = new MongoClient(mongo.url);
    await write.db('kept').collection<{ _id: string }>('things').insertOne({ _id: 'marker' });
    await write.close();
    await mongo.kill();
    await mongo.restart();
    const read = new MongoClient(mongo.url);
    expect(await read.db('kept').collection<{ _id: string }>('things').findOne({})).toEqual({ _id: 'marker' });
    await read.close();
  });
});
