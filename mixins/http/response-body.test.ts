import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { beginPieces } from './begun-pieces.ts';
import { createListener } from './listener.ts';
import { lendBuffer, pieceBytes, sendBody } from './response-body.ts';

const pieces = 64;

/** A file, as it is read into a lent buffer. @param ended is told that it is closed */
async function* fileOf(buffer: Buffer, ended: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = 0; piece < pieces; piece += 1) yield buffer;
  } finally {
    ended();
  }
}

it.each([
  ['while they wait', 0],
  ['before they begin', 100],
])('bodies behind others on a connection that ends %s end with it', async (_, beginMs) => {
  const counts = { begun: 0, filesEnded: 0, sent: 0, closed: 0 };
  const listener = createListener({
    host: '127.0.0.1',
    port: 0,
    handle: (__, response) => {
      response.once('close', () => (counts.closed += 1));
      void beginPieces((buffer) => fileOf(buffer, () => (counts.filesEnded += 1))).then(async (begun) => {
        counts.begun += 1;
        await pause(beginMs);
        response.writeHead(200, { 'Content-Length': String(pieces * pieceBytes) });
        await sendBody(response, begun, null, () => undefined);
        counts.sent += 1;
      });
    },
  });
  const { port } = await listener.start();
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(4));
  while (counts.begun < 4) await pause(5);
  await pause(beginMs === 0 ? 50 : 0);
  expect(counts).toEqual({ begun: 4, filesEnded: 0, sent: 0, closed: 0 });
  socket.destroy();
  for (let wait = 0; wait < 200 && counts.sent < 4; wait += 1) await pause(10);
  expect(counts).toEqual({ begun: 4, filesEnded: 4, sent: 4, closed: 4 });
  await listener.stop(0);
});

it('a buffer is given back where a file cannot be closed', async () => {
  const before = lendBuffer();
  before.giveBack();
  const begun = await beginPieces((buffer) =>
    fileOf(buffer, () => {
      throw new Error('the file cannot be closed');
    }),
  );
  await expect(begun.return()).rejects.toThrow('the file cannot be closed');
  const after = lendBuffer();
  expect(after.buffer).toBe(before.buffer);
  after.giveBack();
});
