import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Starts the program in this environment, waits until it is ready, stops it, and ends as it ended: proof that a copy of
 * the project is whole. The image's build ends with it, which also leaves Node's compiled form of the program in the
 * image.
 */

const here = dirname(fileURLToPath(import.meta.url));
const timeoutMs = 180_000;

/** Whether the program says that it is ready. */
function isReady() {
  const check = spawn(process.execPath, [join(here, 'health-check.mjs'), 'ready'], { stdio: 'ignore' });
  return new Promise((resolve) => check.once('exit', (code) => resolve(code === 0)));
}

// With the options of the image's command: V8 uses no compiled form that was made with others.
const program = spawn(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', '--heap-growing-percent=100', 'main.ts'],
  {
    cwd: join(here, '../..'),
    stdio: 'inherit',
  },
);
let ended = false;
program.once('exit', (code) => {
  ended = true;
  process.exitCode = code ?? 1;
});

let ready = false;
const until = performance.now() + timeoutMs;
while (!ended && !ready && performance.now() < until) {
  ready = await isReady();
  if (!ready) await new Promise((resolve) => setTimeout(resolve, 200));
}
if (!ready) console.error('ply: the program did not become ready');
program.kill(ready ? 'SIGTERM' : 'SIGKILL');
