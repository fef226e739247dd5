import * as os from 'node:os';

const cores = os.availableParallelism?.() ?? os.cpus().length;

/**
 * Options of Node for the program. V8 has threads of its own beside those of the program, which collect garbage and
 * compile: four, however few the cores are, with the weight of the threads that answer requests. More of them than
 * there are cores hold requests up and take more processor time for the same work. So there is one for each core but
 * the first.
 */
export const engineOptions = [
  '--disable-warning=ExperimentalWarning',
  `--v8-pool-size=${Math.max(1, Math.min(4, cores - 1))}`,
];
