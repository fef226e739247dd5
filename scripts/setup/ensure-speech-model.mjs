import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectRoot, speechModelFolder } from './places.mjs';

/** The step that makes the speech model, as words for Node. */
const step = ['--disable-warning=ExperimentalWarning', join(projectRoot, 'scripts/setup/speech-model.ts')];

/**
 * Makes the local speech model where it is not there yet and the configuration does not name another transcriber. In the
 * background the program starts meanwhile, and its recordings wait. Without the model pocketsphinx transcribes, so a
 * failure is reported and does not stop the set-up.
 * @param {string} node path of Node 24, which runs the converter
 * @param {'background' | 'wait'} mode
 * @returns {() => void} ends the step if it is still under way
 */
export function ensureSpeechModel(node, mode) {
  const { PLY_SPEECH_URL, PLY_TRANSCRIBER_WORKERS, PLY_LOCAL_TRANSCRIBER = 'whisper-base' } = process.env;
  const isUnneeded = PLY_SPEECH_URL || PLY_TRANSCRIBER_WORKERS === '0' || PLY_LOCAL_TRANSCRIBER !== 'whisper-base';
  if (isUnneeded || existsSync(join(speechModelFolder, 'model.json'))) return () => undefined;
  const report = () => {
    console.error('ply: going on without the speech model; pocketsphinx transcribes.');
    console.error(
      `  To fix it: ${relative(process.cwd(), node)} scripts/setup/speech-model.ts   (needs Python with pip: apt-get install python3-pip)`,
    );
  };
  if (mode === 'wait') {
    if (spawnSync(node, step, { stdio: ['ignore', 2, 2] }).status !== 0) report();
    return () => undefined;
  }
  const child = spawn(node, step, { stdio: ['ignore', 2, 2] });
  // The program, which starts next, has to find that the step is under way; it writes this file itself from then on.
  mkdirSync(dirname(speechModelFolder), { recursive: true });
  writeFileSync(
    `${speechModelFolder}.preparation.json`,
    JSON.stringify({ pid: child.pid ?? null, detail: 'fetching the speech model' }),
  );
  let isRunning = true;
  child.on('error', () => {
    isRunning = false;
    report();
  });
  child.on('exit', (code) => {
    isRunning = false;
    if (code !== 0 && code !== null) report();
  });
  return () => {
    if (isRunning) child.kill('SIGTERM');
  };
}
