import { findConfinement, type Confinement } from './confinement.ts';
import { versionArguments } from './ffmpeg.ts';
import { findPrograms, type MediaPrograms } from './programs.ts';

/** The media programs of this machine. */
export interface MediaToolbox {
  /** Why recordings cannot be read on this machine; null if they can. Cached. */
  missing(): Promise<string | null>;
  /** The programs and their confinement. @throws Error if a program is missing */
  tools(): Promise<{ programs: MediaPrograms; confinement: Confinement }>;
}

/** Limits of a media process, and the folder for a copy of a packaged program. */
export interface MediaToolboxOptions {
  programFolder: string;
  memoryMegabytes: number;
  cpuSeconds: number;
  /** Size of a file that a process may write, in MiB; none if omitted. */
  fileMegabytes?: number;
}

/** Creates a toolbox that looks for the programs on first use. */
export function mediaToolbox({ programFolder, ...limits }: MediaToolboxOptions): MediaToolbox {
  let finding: ReturnType<typeof findPrograms> | null = null;
  const find = (): ReturnType<typeof findPrograms> => (finding ??= findPrograms(programFolder));
  let confining: Promise<Confinement> | null = null;
  return {
    missing: async () => {
      const found = await find();
      return 'missing' in found ? found.missing : null;
    },
    tools: async () => {
      const found = await find();
      if ('missing' in found) throw new Error(found.missing);
      confining ??= findConfinement(limits, {
        probes: [
          [found.programs.ffmpeg, ...versionArguments],
          [found.programs.ffprobe, ...versionArguments],
        ],
        reservedMegabytes: 0,
      });
      return { programs: found.programs, confinement: await confining };
    },
  };
}
