import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../../../scripts/setup/paths.mjs';
import { runProgram, type Outcome } from '../../../scripts/setup/system.ts';
import { withLock } from '../../servers/lock.ts';

/**
 * Prometheus' tool that checks rules, metrics and queries: PLY_PROMTOOL, the installed one, or one from Debian's
 * package, which is unpacked into the cache folder and not installed, because that would start a server.
 */
export async function promtool(): Promise<{ path: string } | { unavailable: string }> {
  const named = process.env['PLY_PROMTOOL'] ?? 'promtool';
  if ((await runProgram(named, ['--version'])).ok) return { path: named };
  const folder = join(cacheFolder, 'prometheus');
  const path = join(folder, 'promtool');
  if (existsSync(path)) return { path };
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(path)) return { path };
    await mkdir(folder, { recursive: true });
    const download = (): Promise<Outcome> => runProgram('apt-get', ['download', '-q', 'prometheus'], { folder });
    let downloaded = await download();
    // A new machine may have no package lists yet.
    if (!downloaded.ok && (await runProgram('apt-get', ['update', '-q'])).ok) downloaded = await download();
    if (!downloaded.ok) return { unavailable: `Debian's package of Prometheus cannot be had: ${downloaded.reason}` };
    const unpacked = await runProgram('sh', ['-c', 'dpkg-deb -x prometheus_*.deb unpacked'], { folder });
    if (!unpacked.ok) return { unavailable: unpacked.reason };
    await rename(join(folder, 'unpacked/usr/bin/promtool'), path);
    await rm(join(folder, 'unpacked'), { recursive: true });
    return { path };
  });
}
