import * as os from 'node:os';

const cores = os.availableParallelism?.() ?? os.cpus().length;

/**
 * Options of Node for the program. V8 has threads of its own beside those of the program, which collect garbage and
 * compile: four, however few the cores are, with the weight of the threads that answer requests. More of them than
 * there are cores hold requests up and take more processor time for the same work. So there is one for each core but
 * the first.
 *
 * New objects of each thread get up to 16 MiB twice over. Under load V8 grows that to 64 MiB by itself, which keeps
 * more garbage and answers no sooner: a CSV file of a million rows takes 483 MB more than the idle program, and 358 MB
 * with this bound.
 *
 * Old objects of each thread may double before garbage is collected again. V8 lets them grow up to four times while it is
 * busy: after searches of eight clients in 100,000 passages the program had 1.06 GB, and 0.82 GB with this bound, at two
 * percent fewer answers a second. A bound of 20 percent left 0.66 GB, but took 16 percent of the answers.
 */
export const engineOptions = [
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
  `--v8-pool-size=${Math.max(1, Math.min(4, cores - 1))}`,
];
