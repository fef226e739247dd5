import { createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { BucketView } from '../../models/bucket.ts';
import { freePort } from '../servers/ports.ts';
import { get } from '../support/edge.ts';
import { until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject, sendPart, startUpload } from './support/storage.ts';

const inCluster = process.env['PLY_TEST_CLUSTER'] !== undefined;

(inCluster ? describe.skip : describe)('hostile connections', () => {
  let program: TestProgram;
  let bucket: BucketView;
  let ports: Record<'api' | 'delivery' | 'upload' | 's3' | 'blob', number>;
  beforeAll(async () => {
    const own = { delivery: await freePort(), upload: await freePort(), s3: await freePort(), blob: await freePort() };
    program = await startTestProgram({
      PLY_DELIVERY_PORT: String(own.delivery),
      PLY_UPLOAD_PORT: String(own.upload),
      PLY_S3_PORT: String(own.s3),
      PLY_BLOB_PORT: String(own.blob),
    });
    ports = { ...own, api: Number(new URL(program.url).port) };
    bucket = await createBucket(program.admin, { visibility: 'public' });
    await putObject(program.admin, bucket.id, 'a', Buffer.from('public'));
    await putObject(program.admin, bucket.id, 'secret', Buffer.from('secret'));
  });
  afterAll(() => program.end());

  /** A connection, what it was answered, and when it was closed. */
  function connect(port: number): { socket: Socket; said: () => string; closed: Promise<void> } {
    const socket = createConnection(port, '127.0.0.1');
    let said = '';
    socket.setEncoding('latin1').on('data', (text: string) => (said += text));
    // A reset is an end, too.
    socket.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return { socket, said: () => said, closed };
  }

  it('that send their head a byte at a time are closed, and hold no others back, at every listener', async () => {
    const since = performance.now();
    const slow = Object.values(ports).flatMap((port) => Array.from({ length: 150 }, () => connect(port)));
    for (const { socket } of slow) socket.write('GET /a HTTP/1.1\r\nHost: x\r\n');
    const dripping = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write('a');
    }, 500);
    try {
      const began = performance.now();
      expect((await get(ports.delivery, bucket.defaultHostname, '/a')).status).toBe(200);
      const upload = await startUpload(program.admin, bucket.id, { key: 'k', size: 1 });
      expect((await sendPart(upload.parts[0]?.url, Buffer.from('x'))).status).toBe(200);
      for (const port of [ports.s3, ports.blob])
        expect((await fetch(`http://127.0.0.1:${port}/none/a`)).status).toBeGreaterThanOrEqual(400);
      expect(performance.now() - began).toBeLessThan(10_000);
      await Promise.all(slow.map(({ closed }) => closed));
      // The limit for a head is ten seconds.
      expect((performance.now() - since) / 1000).toBeLessThan(30);
      expect(slow.filter(({ said }) => !/^HTTP\/1\.1 408 /.test(said())).length).toBeLessThan(slow.length / 10);
    } finally {
      clearInterval(dripping);
      for (const { socket } of slow) socket.destroy();
    }
  }, 60_000);

  it('that smuggle a request behind another are closed, or answered once, at every listener', async () => {
    const host = bucket.defaultHostname;
    const smuggled = `GET /secret HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const forms: [name: string, head: string, body: string][] = [
      [
        'both lengths',
        `Content-Length: ${smuggled.length + 5}\r\nTransfer-Encoding: chunked\r\n`,
        `0\r\n\r\n${smuggled}`,
      ],
      ['both lengths, the other way', `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, `0\r\n\r\n${smuggled}`],
      ['two lengths', `Content-Length: 0\r\nContent-Length: ${smuggled.length}\r\n`, smuggled],
      ['a list of lengths', `Content-Length: 0, ${smuggled.length}\r\n`, smuggled],
      ['a signed length', `Content-Length: +${smuggled.length}\r\n`, smuggled],
      ['a length in hexadecimal digits', `Content-Length: 0x${smuggled.length.toString(16)}\r\n`, smuggled],
      ['a space before the colon', `Transfer-Encoding : chunked\r\n`, `0\r\n\r\n${smuggled}`],
      ['another coding', `Transfer-Encoding: chunked, identity\r\n`, `0\r\n\r\n${smuggled}`],
      ['a coding twice', `Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n`, `0\r\n\r\n${smuggled}`],
      ['a folded line', `Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n`, `0\r\n\r\n${smuggled}`],
      ['a control character', `Transfer-Encoding: \u000bchunked\r\n`, `0\r\n\r\n${smuggled}`],
      ['a bare line feed', `X: y\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${smuggled}`],
      ['a chunk size that overflows', `Transfer-Encoding: chunked\r\n`, `fffffffffffffffff\r\n${smuggled}`],
      ['a chunk size with a sign', `Transfer-Encoding: chunked\r\n`, `+0\r\n\r\n${smuggled}`],
      ['a body of a GET', `Content-Length: ${smuggled.length}\r\n`, smuggled],
    ];
    const attempts = Object.entries(ports).flatMap(([listener, port]) =>
      forms.map(async ([form, head, body]) => {
        const { socket, said, closed } = connect(port);
        socket.write(`GET /a HTTP/1.1\r\nHost: ${host}\r\n${head}\r\n${body}`);
        await until(
          () => Promise.resolve(said()),
          (answer) => answer !== '',
        );
        // A second answer would come at once.
        await Promise.race([closed, pause(1000)]);
        socket.destroy();
        const answers = said().match(/HTTP\/1\.1 \d+/g) ?? [];
        return { listener, form, answers: answers.length, isSecret: said().includes('secret') };
      }),
    );
    for (const attempt of await Promise.all(attempts))
      expect(attempt).toEqual({ ...attempt, answers: 1, isSecret: false });
  });

  it('that pipeline requests are answered each for itself, in order', async () => {
    const { socket, said, closed } = connect(ports.delivery);
    const ask = (path: string, more = ''): string =>
      `GET ${path} HTTP/1.1\r\nHost: ${bucket.defaultHostname}\r\n${more}\r\n`;
    socket.write(ask('/a') + ask('/missing') + ask('/secret', 'Connection: close\r\n'));
    await closed;
    expect(said().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    expect(said().indexOf('public')).toBeLessThan(said().lastIndexOf('secret'));
  });
});
