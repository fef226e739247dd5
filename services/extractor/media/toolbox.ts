import { resolve } from 'node:path';
import type { Configuration } from '../../../models/configuration/configuration.ts';
import { findConfinement, type Confinement } from '../processes/confinement.ts';
import { slotQueue, type SlotQueue } from '../processes/pool.ts';
import { versionArguments } from './ffmpeg.ts';
import { findPrograms, type MediaPrograms } from './programs.ts';

/** What recordings are read with on this machine. */
export interface MediaToolbox {
  /** Why recordings cannot be read here; null where they can. Looked up once. */
  missing(): Promise<string | null>;
  /** The programs and what holds them in. @throws Error where they are missing */
  tools(): Promise<{ programs: MediaPrograms; confinement: Confinement }>;
  /** Places for recordings that are decoded at the same time. */
  slots: SlotQueue;
}

/** Looks for the programs when they are first asked for. */
export function mediaToolbox(configuration: Configuration): MediaToolbox {
  const limits = { memoryMegabytes: configuration.PLY_MEDIA_MEMORY_MB, cpuSeconds: configuration.PLY_MEDIA_CPU_SECONDS };
  let finding: ReturnType<typeof findPrograms> | null = null;
  const find = (): ReturnType<typeof findPrograms> => (finding ??= findPrograms(resolve(configuration.PLY_DATA_DIR, 'programs')));
  let confining: Promise<Confinement> | null = null;
  return {
    missing: async () => {
      const found = await find();
      return 'missing' in found ? found.missing : null;
    },
    tools: async () => {
      const found = await find();
      if ('missing' in found) throw new Error(found.missing);
      confining ??= findConfinement(limits, { probe: [found.programs.ffmpeg, ...versionArguments], reservedMegabytes: 0 });
      return { programs: found.programs, confinement: await confining };
    },
    slots: slotQueue(configuration.PLY_MEDIA_SLOTS),
  };
}
