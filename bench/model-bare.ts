import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openLocalEmbeddings } from '../adapters/embeddings/local/local-embeddings.ts';
import { cpuSeconds, canMeasureProcesses } from './process-figures.ts';
import { modelFolder } from '../scripts/setup/paths.mjs';
import { generatedTexts } from './source-server.ts';

/** The embedding model alone, in a separate process with its threads. */
export interface BareModel {
  /** Embeds the generated texts from `from` to before `to`. Returns elapsed and CPU seconds. */
  embed(from: number, to: number): Promise<{ seconds: number; cpu: number }>;
  stop(): void;
}

/** The texts, and the number of threads. */
export interface BareModelSetup {
  texts: number;
  wordsPerText: number;
  threads: number;
}

/** Starts it and waits until the model answers. */
export async function startBareModel(setup: BareModelSetup): Promise<BareModel> {
  const child = fork(import.meta.filename, [JSON.stringify(setup)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the bare model ended')));
  // It also exits when it is stopped, while no response is awaited.
  ended.catch(() => undefined);
  const answer = async (): Promise<number> =>
    Number(await Promise.race([once(child, 'message').then(([message]) => message as unknown), ended]));
  await answer();
  const cpu = (): number => (canMeasureProcesses() && child.pid !== undefined ? cpuSeconds(child.pid) : Number.NaN);
  return {
    embed: async (from, to) => {
      const before = cpu();
      child.send([from, to]);
      const seconds = await answer();
      return { seconds, cpu: cpu() - before };
    },
    stop: () => void child.kill(),
  };
}

async function serve({ texts, wordsPerText, threads }: BareModelSetup): Promise<void> {
  const made = generatedTexts(texts, wordsPerText);
  const embeddings = await openLocalEmbeddings({ folder: modelFolder, threads, log: console });
  await embeddings.embed(made.slice(0, threads * 2), 'passage');
  process.on('message', (range: [number, number]) => {
    const began = performance.now();
    void embeddings
      .embed(made.slice(...range), 'passage')
      .then(() => process.send?.((performance.now() - began) / 1000));
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.(0);
}

if (import.meta.main) await serve(JSON.parse(process.argv[2] ?? '{}') as BareModelSetup);
