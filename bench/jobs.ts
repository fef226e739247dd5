import type { Part } from './figures.ts';
import { HttpClients } from './http-clients.ts';
import { startPlainServer } from './plain-server.ts';
import { cpuSeconds, canMeasureProcesses } from './process-figures.ts';
import { startProgram } from './program.ts';
import { median, ratio } from './statistics.ts';

/** Maximum ratio: a response passes moleculer-web and two broker calls. */
const maxRatio = 4;
const clients = 4;

/**
 * CPU time of a job response compared with a bare node:http server with the same body, with requests from this process.
 */
export const part: Part = async ({ full }) => {
  if (!canMeasureProcesses()) return { skipped: 'the processor time of a process is read from /proc' };
  const perTurn = full ? 20_000 : 6000;
  const program = await startProgram();
  const http = program.clients(clients);
  try {
    const asset = {
      externalId: 'one',
      sourceUrl: 'http://127.0.0.1:9/none.txt',
      sourceVersion: '"1"',
      filename: 'none.txt',
      kind: 'document',
    };
    const { jobId } = JSON.parse(
      await http.ask({ method: 'POST', path: '/api/content/v1/assets', body: JSON.stringify(asset) }),
    ) as { jobId: string };
    const request = { method: 'GET', path: `/api/content/v1/jobs/${jobId}` } as const;
    await http.ask({ method: 'POST', path: `${request.path}/cancel`, body: '{}' });
    const plain = await startPlainServer(await http.ask(request));
    const bare = new HttpClients(plain.url, {}, clients);
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let turn = 0; turn <= 6; turn++) {
      for (const [pid, side, times] of [
        [program.pid, http, ours],
        [plain.pid, bare, theirs],
      ] as const) {
        const before = cpuSeconds(pid);
        await side.run(perTurn, () => request);
        // The first turn is for compilation.
        if (turn > 0) times.push(((cpuSeconds(pid) - before) / perTurn) * 1e6);
      }
    }
    await bare.close();
    plain.stop();
    const [own, peer] = [median(ours), median(theirs)];
    return [
      {
        name: 'GET /jobs/{id}: processor time of an answer',
        measured: `${own.toFixed(0)} µs = ${ratio(own / peer)}`,
        against: `bare node:http with the same body: ${peer.toFixed(0)} µs`,
        target: `at most ${maxRatio}x`,
        reached: own / peer <= maxRatio,
      },
    ];
  } finally {
    await http.close();
    await program.stop();
  }
};
