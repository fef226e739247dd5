import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cacheFolder, projectRoot } from './paths.mjs';

/** Programs of the system that read recordings: what each is for, and the Debian packages that bring it. */
export const systemPrograms = [
  { program: 'ffmpeg', packages: ['ffmpeg'], purpose: 'recordings are not read', settings: [] },
  {
    program: 'pocketsphinx_continuous',
    packages: ['pocketsphinx', 'pocketsphinx-en-us'],
    purpose: 'speech is not transcribed where the speech model cannot be had',
    settings: ['PLY_SPEECH_URL'],
  },
  {
    program: 'tesseract',
    packages: ['tesseract-ocr', 'tesseract-ocr-eng'],
    purpose: 'text on screens is not read',
    settings: [],
  },
];

/** The packages whose installation was tried in vain, so that no later start waits for it again. */
const triedFile = join(cacheFolder, 'system-programs-tried');

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Absent, or not for this user.
    return false;
  }
}

/**
 * The programs that are not in the search path and that no setting makes unneeded. Nothing is started to find out.
 * @param {Record<string, string | undefined>} environment
 */
export function missingPrograms(environment) {
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return systemPrograms.filter(
    ({ program, settings }) =>
      !settings.some((name) => environment[name]) && !folders.some((folder) => isExecutable(join(folder, program))),
  );
}

/**
 * Sees to it that the programs are there: where they are missing and may be installed (by root, with apt-get), they
 * are. A failure is reported with the command that fixes it; the program continues without the features that need them.
 * @param {string} node path of Node 24, which runs the installation
 */
export function ensureSystemPrograms(node) {
  let missing = missingPrograms(process.env);
  if (missing.length === 0 || process.env.PLY_TEST_SYSTEM_PROGRAMS === 'leave') return;
  const packages = missing.flatMap((each) => each.packages).join(' ');
  const tried = existsSync(triedFile) ? readFileSync(triedFile, 'utf8') : '';
  if (process.getuid?.() === 0 && tried !== packages) {
    console.error(`ply: installing ${packages} ...`);
    spawnSync(node, ['--disable-warning=ExperimentalWarning', join(projectRoot, 'scripts/setup/install-programs.ts')], {
      stdio: ['ignore', 2, 2],
    });
    missing = missingPrograms(process.env);
    if (missing.length === 0) return;
    mkdirSync(dirname(triedFile), { recursive: true });
    writeFileSync(triedFile, missing.flatMap((each) => each.packages).join(' '));
  }
  for (const each of missing)
    console.error(
      `ply: ${each.program} is missing: ${each.purpose}. To fix it: apt-get install ${each.packages.join(' ')}`,
    );
}
