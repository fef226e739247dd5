import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * A small video that ffmpeg makes of its own test pictures.
 * @param given options between the inputs and the output
 */
export async function clip(
  {
    seconds,
    size = '320x180',
    rate = 30,
    sound = true,
    rotation,
  }: { seconds: number; size?: string; rate?: number; sound?: boolean; rotation?: number },
  given: readonly string[] = [],
  name = 'clip.mp4',
): Promise<Buffer<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'ply-clip-'));
  try {
    const to = join(folder, name);
    await run('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-i', `testsrc2=s=${size}:r=${rate}:d=${seconds}`],
      ...(sound ? ['-f', 'lavfi', '-i', `sine=f=440:d=${seconds}`, '-c:a', 'aac'] : []),
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1', '-pix_fmt', 'yuv420p'],
      ...given,
      to,
    ]);
    if (rotation === undefined) return Buffer.from(await readFile(to));
    const rotated = join(folder, `rotated-${name}`);
    // A picture is marked as rotated when it is copied.
    await run('ffmpeg', ['-v', 'error', '-i', to, '-c', 'copy', '-metadata:s:v', `rotate=${rotation}`, rotated]);
    return Buffer.from(await readFile(rotated));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
