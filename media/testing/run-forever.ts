import { findConfinement } from '../confinement.ts';
import { ByteFeed } from '../byte-feed.ts';
import { runMedia } from '../media-process.ts';

/** Runs a media program until this process is killed, and prints the program's process id. */
async function* never(): AsyncGenerator<Uint8Array> {
  yield await new Promise<Uint8Array>(() => undefined);
}

const alive = setInterval(() => undefined, 1000);
await runMedia({
  program: '/bin/sh',
  arguments: ['-c', 'echo $$; exec /bin/sleep 60'],
  feed: new ByteFeed(never()),
  signal: new AbortController().signal,
  confinement: await findConfinement(
    { memoryMegabytes: 256, cpuSeconds: 60 },
    { probes: [['/bin/true']], reservedMegabytes: 0 },
  ),
  outputs: [
    async (bytes) => {
      for await (const chunk of bytes) process.stdout.write(chunk);
    },
  ],
});
clearInterval(alive);
