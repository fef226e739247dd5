import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../../scripts/setup/paths.mjs';
import { runProgram, type Outcome } from '../../../scripts/setup/system.ts';
import { withLock } from '../../servers/lock.ts';

/** A program of Debian's package, or why it is not available. */
type Found = { path: string } | { unavailable: string };

/** Prometheus' tool that checks rules, metrics and queries: PLY_PROMTOOL, the installed one, or one from Debian's package. */
export async function promtool(): Promise<Found> {
  const named = process.env['PLY_PROMTOOL'] ?? 'promtool';
  return (await runProgram(named, ['--version'])).ok ? { path: named } : unpacked('promtool');
}

/** Prometheus itself: the installed one, or one from Debian's package. */
export async function prometheus(): Promise<Found> {
  return (await runProgram('prometheus', ['--version'])).ok ? { path: 'prometheus' } : unpacked('prometheus');
}

/**
 * A program of Debian's package, which is unpacked into the cache folder and not installed, because that would start a
 * server.
 */
async function unpacked(name: string): Promise<Found> {
  const folder = join(cacheFolder, 'prometheus');
  const path = join(folder, name);
  if (existsSync(path)) return { path };
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(path)) return { path };
    await mkdir(folder, { recursive: true });
    const unpack = (): Promise<Outcome> =>
      runProgram('sh', ['-c', 'dpkg-deb -x prometheus_*.deb unpacked'], { folder });
    const download = (): Promise<Outcome> => runProgram('apt-get', ['download', '-q', 'prometheus'], { folder });
    let outcome = await unpack();
    if (!outcome.ok) {
      let downloaded = await download();
      // A new machine may have no package lists yet.
      if (!downloaded.ok && (await runProgram('apt-get', ['update', '-q'])).ok) downloaded = await download();
      if (!downloaded.ok) return { unavailable: `Debian's package of Prometheus cannot be had: ${downloaded.reason}` };
      outcome = await unpack();
    }
    if (!outcome.ok) return { unavailable: outcome.reason };
    await rename(join(folder, 'unpacked/usr/bin', name), path);
    await rm(join(folder, 'unpacked'), { recursive: true });
    return { path };
  });
}
