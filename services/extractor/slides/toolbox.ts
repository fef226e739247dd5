import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Configuration } from '../../../models/configuration/configuration.ts';
import { FairSlots } from '../../../models/fair-slots.ts';
import { findConfinement, type Confinement } from '../../../media/confinement.ts';
import { inSearchPath } from '../../../media/programs.ts';
import { installedLanguages } from './languages.ts';
import { SharedReadings } from './shared-readings.ts';

const run = promisify(execFile);

/** The programs that read slides. */
export interface SlideTools {
  program: string;
  languages: readonly string[];
  confinement: Confinement;
}

/** Finds the programs that read slides, and limits concurrent pictures. */
export interface SlideToolbox {
  /** The programs, or why slides cannot be read here. Looked up once. */
  find(): Promise<SlideTools | { missing: string }>;
  /** Slots of the reading processes, separate from those of documents and recordings. */
  slots: FairSlots;
  /** Number of slots. */
  slotCount: number;
  /** Cached texts of pictures. */
  shared: SharedReadings;
}

const installCommand = 'apt-get install tesseract-ocr tesseract-ocr-eng';

/** Creates the toolbox; programs are looked up on first use. */
export function slideToolbox(configuration: Configuration): SlideToolbox {
  let finding: Promise<SlideTools | { missing: string }> | null = null;
  const slotCount = configuration.PLY_SLIDE_READERS;
  return {
    find: () => (finding ??= findTools(configuration)),
    slots: new FairSlots(slotCount),
    slotCount,
    shared: new SharedReadings(),
  };
}

async function findTools(configuration: Configuration): Promise<SlideTools | { missing: string }> {
  const program = await inSearchPath('tesseract', process.env['PATH'] ?? '');
  if (program === null) return { missing: `tesseract is not installed (${installCommand})` };
  try {
    const { stdout } = await run(program, ['--list-langs'], { timeout: 10_000 });
    const languages = installedLanguages(stdout);
    if (languages.length === 0) return { missing: `tesseract has no language (${installCommand})` };
    const limits = { memoryMegabytes: configuration.PLY_SLIDE_MEMORY_MB, cpuSeconds: configuration.PLY_SLIDE_SECONDS };
    return {
      program,
      languages,
      confinement: await findConfinement(limits, { probes: [[program, '--version']], reservedMegabytes: 0 }),
    };
  } catch (error) {
    return {
      missing: `tesseract does not run: ${error instanceof Error ? error.message : String(error)} (${installCommand})`,
    };
  }
}
