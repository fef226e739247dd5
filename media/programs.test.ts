import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPrograms } from './programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-programs-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A search path with programs of the given years. */
function searchPath(name: string, programs: { [name: string]: number }, mode = 0o755): string {
  mkdirSync(join(folder, name));
  for (const [program, year] of Object.entries(programs)) {
    const path = join(folder, name, program);
    writeFileSync(path, `#!/bin/sh\necho '${program} version N-1 Copyright (c) 2000-${year} the FFmpeg developers'\n`);
    chmodSync(path, mode);
  }
  return join(folder, name);
}

const copies = join(folder, 'copies');

describe('finding the media programs', () => {
  it("prefers the system's programs if they are newer", async () => {
    const path = searchPath('new', { ffmpeg: 2099, ffprobe: 2099 });
    expect(await findPrograms(copies, `/nowhere:${path}`)).toEqual({
      programs: { ffmpeg: join(path, 'ffmpeg'), ffprobe: join(path, 'ffprobe') },
    });
  });

  it('prefers the packaged ffprobe to an older one or none', async () => {
    for (const path of [searchPath('old', { ffmpeg: 2099, ffprobe: 2010 }), searchPath('alone', { ffmpeg: 2099 })]) {
      const found = await findPrograms(copies, path);
      // On a platform without the package, the system's program is used, or it is missing.
      const expected =
        process.platform === 'linux' && process.arch === 'x64'
          ? expect.stringMatching(/@ffprobe-installer|copies/)
          : expect.anything();
      expect('missing' in found ? found.missing : found.programs.ffprobe).toEqual(expected);
    }
  });

  it('reports programs that are absent or cannot run', async () => {
    const missing = { missing: 'ffmpeg is not installed (apt-get install ffmpeg)' };
    expect(await findPrograms(copies, '/nowhere')).toEqual(missing);
    expect(await findPrograms(copies, searchPath('locked', { ffmpeg: 2099 }, 0o644))).toEqual(missing);
    mkdirSync(join(folder, 'broken'));
    writeFileSync(join(folder, 'broken/ffmpeg'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    expect(await findPrograms(copies, join(folder, 'broken'))).toEqual(missing);
  });
});
