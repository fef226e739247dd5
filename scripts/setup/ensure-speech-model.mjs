import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { projectRoot, speechModelFolder, speechModelFormat } from './paths.mjs';

/** Whether there is a model in the current format. An older one serves until it is replaced. */
function isCurrent() {
  try {
    return JSON.parse(readFileSync(join(speechModelFolder, 'model.json'), 'utf8')).format === speechModelFormat;
  } catch {
    // There is no model, or a damaged one.
    return false;
  }
}

/** Arguments of Node for the step that makes the speech model. */
const step = ['--disable-warning=ExperimentalWarning', join(projectRoot, 'scripts/setup/speech-model.ts')];

/**
 * Makes the local speech model unless it exists or the configuration names another transcriber. In the background, the
 * program starts meanwhile and its recordings wait. Without the model, pocketsphinx transcribes, so a failure is
 * reported and does not stop the set-up.
 * @param {string} node path of Node 24, which runs the converter
 * @param {'background' | 'wait'} mode
 * @returns {() => void} ends the step if it is still under way
 */
export function ensureSpeechModel(node, mode) {
  const { PLY_SPEECH_URL, PLY_TRANSCRIBER_WORKERS, PLY_LOCAL_TRANSCRIBER = 'whisper-base' } = process.env;
  const isUnneeded = PLY_SPEECH_URL || PLY_TRANSCRIBER_WORKERS === '0' || PLY_LOCAL_TRANSCRIBER !== 'whisper-base';
  if (isUnneeded || isCurrent()) return () => undefined;
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
  // The program starts next and reads from this file that the step is under way; then the step writes it.
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
