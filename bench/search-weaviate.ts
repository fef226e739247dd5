import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { installWeaviate, weaviateVersion } from '../test/servers/weaviate.ts';
import type { Figure } from './figures.ts';
import { startProgram } from './program.ts';
import type { RealLibrary } from './real-library.ts';
import { libraryEnvironment } from './search-library.ts';
import { median, milliseconds, ratio } from './statistics.ts';
import type { PeerOrder, PeerReport } from './weaviate-process.ts';

const path = '/api/content/v1/search';
/** Searches of a turn, turns of each side, and searches before them. */
const [turn, turns, before] = [200, 3, 400];
const limit = 10;

interface Side {
  times: number[];
  rates: number[];
}

/** Weaviate with its clients and an embedding model, in a process apart. */
interface Peer {
  /** Answers the queries with so many clients at a time. @throws if one is not answered */
  run(queries: readonly string[], clients: number): Promise<{ times: number[]; seconds: number }>;
  stop(): void;
}

/** The command that runs another one where the loopback interface is the only one. */
const loopbackOnly = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  ...['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'],
] as const;

/** Sends an order and waits for its report. @throws if it cannot be carried out */
function ask(child: ChildProcess, order: PeerOrder): Promise<PeerReport> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`Weaviate's process ended with ${code}`));
    child.once('exit', onExit);
    child.once('message', (report: PeerReport) => {
      child.off('exit', onExit);
      if (report.kind === 'failed') reject(new Error(`Weaviate: ${report.reason}`));
      else resolve(report);
    });
    child.send(order);
  });
}

/** Starts it with the texts of a library. Returns why it is not available as text. */
async function startPeer({ texts }: RealLibrary): Promise<Peer | string> {
  const missing = await installWeaviate();
  if (missing !== null) return missing;
  const [program, ...words] = loopbackOnly;
  const script = join(import.meta.dirname, 'weaviate-process.ts');
  const child = spawn(program, [...words, process.execPath, '--disable-warning=ExperimentalWarning', script], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const started = await Promise.race([once(child, 'spawn').then(() => null), once(child, 'error').then(String)]);
  if (started !== null) return `no network namespace can be made: ${started}`;
  await ask(child, { kind: 'fill', texts });
  return {
    async run(queries, clients) {
      const report = await ask(child, { kind: 'run', queries, clients, limit });
      if (report.kind !== 'ran' || report.found === 0) throw new Error('Weaviate finds nothing in its texts');
      return report;
    },
    stop: () => child.disconnect(),
  };
}

/**
 * The program beside Weaviate over the same texts and vectors, everything permitted: searches by words and meaning,
 * from the text of a question to ten passages. Both embed it by the same model in as many threads. They take turns.
 */
export async function compareWithWeaviate(folder: string, library: RealLibrary): Promise<Figure[]> {
  const peer = await startPeer(library);
  if (typeof peer === 'string') {
    process.stdout.write(`SKIPPED: the comparison with Weaviate: ${peer}\n`);
    return [];
  }
  const { organizationId, queries } = library;
  const questionsOf = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => queries.plain[(from + index) % queries.plain.length] ?? '');
  const program = await startProgram({ folder, organizationId, environment: libraryEnvironment });
  const figures: Figure[] = [];
  try {
    for (const clients of [1, 8]) {
      const http = program.clients(clients);
      const runOurs = (questions: readonly string[]) =>
        http.run(questions.length, (index) => ({
          method: 'POST',
          path,
          body: JSON.stringify({ query: questions[index], limit }),
        }));
      const [ours, theirs]: [Side, Side] = [
        { times: [], rates: [] },
        { times: [], rates: [] },
      ];
      await runOurs(questionsOf(0, before));
      await peer.run(questionsOf(0, before), clients);
      for (let at = 0; at < turns; at += 1) {
        const questions = questionsOf(at * turn, turn);
        for (const [side, ran] of [
          [ours, await runOurs(questions)],
          [theirs, await peer.run(questions, clients)],
        ] as const) {
          side.times.push(...ran.times);
          side.rates.push(turn / ran.seconds);
        }
      }
      await http.close();
      figures.push(
        ...figuresOf(`${library.files.toLocaleString('en')} real texts of one passage`, clients, ours, theirs),
      );
    }
    return figures;
  } finally {
    peer.stop();
    await program.stop();
  }
}

function figuresOf(name: string, clients: number, ours: Side, theirs: Side): Figure[] {
  const [own, peer] = [median(ours.times), median(theirs.times)];
  const [rate, peerRate] = [median(ours.rates), median(theirs.rates)];
  const title = `${name}, the model included, ${clients === 1 ? '1 client' : `${clients} clients`}`;
  return [
    {
      name: `${title}: p50`,
      measured: `${milliseconds(own)} = ${ratio(own / peer)}`,
      against: `Weaviate ${weaviateVersion}: ${milliseconds(peer)}`,
      target: 'less',
      reached: own < peer,
    },
    {
      name: `${title}: answers a second`,
      measured: `${rate.toFixed(0)} = ${ratio(rate / peerRate)}`,
      against: `Weaviate ${weaviateVersion}: ${peerRate.toFixed(0)}`,
      target: 'more',
      reached: rate > peerRate,
    },
  ];
}
