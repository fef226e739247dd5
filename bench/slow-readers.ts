import { randomBytes } from 'node:crypto';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureProgram } from '../scripts/setup/system.ts';
import { freePort } from '../test/servers/ports.ts';
import { addBucket, storeFile } from './delivery/bucket.ts';
import { runWrk } from './delivery/wrk.ts';
import type { Part } from './figures.ts';
import { canMeasureProcesses, cpuSeconds, memoryOf } from './process-figures.ts';
import { startProgram } from './program.ts';
import { median, ratio } from './statistics.ts';

const readers = 200;
const bytesPerSecond = 10 * 1024;
const turns = 3;
const maxMegabytes = 100;
const minShare = 0.9;
/** Share of a core below which the program only serves the slow readers. */
const maxIdleShare = 0.2;

/** What an edge delivers to fast readers beside 200 that take 10 KiB a second of a file of 10 MiB, and its memory. */
export const part: Part = async ({ full }) => {
  if (!canMeasureProcesses()) return { skipped: 'the memory of a process is read from /proc' };
  const found = await ensureProgram(['sh', '-c', 'command -v wrk'], ['wrk']);
  if (!found.ok) return { skipped: found.reason };
  const port = await freePort();
  const program = await startProgram({ environment: { PLY_DELIVERY_PORT: String(port) } });
  const admin = program.administrator();
  try {
    const bucket = await addBucket(admin, 'public');
    await storeFile(admin, bucket.id, 'fast', randomBytes(100 * 1024));
    await storeFile(admin, bucket.id, 'slow', randomBytes(10 * 2 ** 20));
    const headers = { Host: bucket.defaultHostname };
    const load = { port, headers, targets: ['/fast'], connections: 16, seconds: full ? 15 : 5 };
    await runWrk(load);
    const alone: number[] = [];
    const beside: number[] = [];
    const growth: number[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      alone.push(await runWrk(load));
      const before = memoryOf(program.pid).own;
      const slow = Array.from({ length: readers }, () => startSlowReader(port, bucket.defaultHostname));
      await settled(program.pid);
      beside.push(await runWrk(load));
      growth.push(memoryOf(program.pid).own - before);
      const open = slow.filter(({ socket }) => !socket.destroyed).length;
      for (const { socket } of slow) socket.destroy();
      if (open < readers) throw new Error(`${readers - open} of the slow readers were disconnected`);
      await pause(1000);
    }
    const [own, reference, grown] = [median(beside), median(alone), Math.max(...growth)];
    return [
      {
        name: `${readers} readers of 10 KiB/s: answers of 100 KiB a second to fast ones`,
        measured: `${(own / load.seconds).toFixed(0)} = ${ratio(own / reference)}`,
        against: `without slow ones: ${(reference / load.seconds).toFixed(0)}`,
        target: `at least ${minShare}x`,
        reached: own / reference >= minShare,
      },
      {
        name: `${readers} readers of 10 KiB/s: growth of the program's memory, largest of ${turns}`,
        measured: `${grown.toFixed(0)} MB`,
        against: '',
        target: `below ${maxMegabytes} MB`,
        reached: grown < maxMegabytes,
      },
    ];
  } finally {
    await admin.close();
    await program.stop();
  }
};

/**
 * Waits until the connections have taken what their buffers hold, some hundreds of megabytes at once: then the program is
 * idle but for the slow readers. @throws if it is busy for half a minute
 */
async function settled(pid: number): Promise<void> {
  const spanMs = 500;
  for (let span = 0; span < 60; span += 1) {
    const before = cpuSeconds(pid);
    await pause(spanMs);
    if (cpuSeconds(pid) - before < (spanMs / 1000) * maxIdleShare) return;
  }
  throw new Error('the program stayed busy with slow readers alone');
}

/** Asks for the large file, and takes each piece as fast as the rate allows. */
function startSlowReader(port: number, host: string): { socket: Socket } {
  const socket = createConnection(port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  socket.on('data', (piece: Buffer) => {
    socket.pause();
    setTimeout(() => socket.resume(), (piece.length / bytesPerSecond) * 1000).unref();
  });
  socket.write(`GET /slow HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return { socket };
}
