import { ensureProgram } from './system.ts';
import { missingPrograms } from './system-programs.mjs';

/* Installs the programs of the system that are missing, all with one call of the package manager. */

const missing = missingPrograms(process.env);
const [first] = missing;
if (first !== undefined) {
  const outcome = await ensureProgram(
    ['sh', '-c', 'command -v "$0"', first.program],
    missing.flatMap(({ packages }) => packages),
  );
  if (!outcome.ok) {
    console.error(`ply: ${outcome.reason}`);
    process.exitCode = 1;
  }
}
