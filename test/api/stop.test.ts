import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Accepted } from '../../models/api.ts';
import { content, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { integrityOf, readStores } from './support/stores.ts';

/** Timeout of a stop in seconds: long enough for a busy machine. */
const stopSeconds = 15;

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({
    PLY_STOP_TIMEOUT: String(stopSeconds),
    PLY_EXTRACTOR_SLOTS: '2',
    PLY_LEASE_SECONDS: '30',
  });
});
afterAll(() => program.end());

const words = (at: number): string =>
  `stop${String.fromCharCode(97 + Math.floor(at / 26))}${String.fromCharCode(97 + (at % 26))}q`;

function registerMany(count: number, prefix: string): Promise<Accepted[]> {
  return Promise.all(
    Array.from({ length: count }, (_, at) =>
      program.standard.register({
        externalId: `${prefix}-${at}`,
        ...program.source.put(`${prefix}-${at}.txt`, `${prefix} ${words(at)}`),
      }),
    ),
  );
}

async function allReadyAndFoundOnce(accepted: readonly Accepted[], prefix: string): Promise<void> {
  for (const { jobId } of accepted)
    expect(await program.standard.reaches(jobId, 'ready')).toMatchObject({ revision: 1, attempt: 1, errorCode: null });
  for (const [at, { assetId }] of accepted.entries()) {
    const { items } = await program.standard.search({ query: words(at), filter: { externalIds: [`${prefix}-${at}`] } });
    expect(items.map((item) => item.assetId)).toEqual([assetId]);
  }
}

describe('SIGTERM under load', () => {
  it('is not ready, finishes or returns its work, ignores open connections, and exits with 0 in time', async () => {
    const held = program.source.hold('held.txt', 'the held words');
    const waiting = await program.standard.register({ externalId: 'held', ...held });
    await program.standard.reaches(waiting.jobId, 'extracting');
    const many = await registerMany(40, 'load');
    // Connections that never end by themselves: idle, half a request line, half a body, and one that does not read.
    const { hostname, port } = new URL(program.url);
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve, reject) => {
      request(`${program.url}/health/live`, { agent }, (response) => response.resume().on('end', () => resolve()))
        .on('error', reject)
        .end();
    });
    const sockets = [
      '',
      'GET /api/con',
      `POST ${content}/search HTTP/1.1\r\nHost: x\r\nAuthorization: ApiKey ${program.standard.key}\r\nX-Organization-Id: ${program.organizationId}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"que`,
    ].map((bytes) => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(bytes);
      return socket;
    });
    const requests = Array.from({ length: 60 }, (_, at) =>
      program.standard.ask('POST', `${content}/search`, { body: { query: words(at % 40) } }).then(
        ({ status }) => status,
        () => 'no connection',
      ),
    );
    await pause(15);
    const began = performance.now();
    const ended = program.process.stop();
    const readiness = await until(
      async () => {
        const answer = await fetch(`${program.metricsUrl}/health/ready`).catch(() => null);
        await answer?.arrayBuffer();
        return answer?.status ?? 'gone';
      },
      (status) => status !== 200,
    );
    expect(await ended).toBe(0);
    const seconds = (performance.now() - began) / 1000;
    expect(readiness).toBe(503);
    expect(seconds).toBeLessThan(stopSeconds);
    const statuses = await Promise.all(requests);
    for (const status of statuses) expect([200, 503, 'no connection']).toContain(status);
    expect(statuses).toContain(200);
    for (const socket of sockets) socket.destroy();
    agent.destroy();
    const { assets } = await readStores(program);
    expect(assets).toHaveLength(41);
    for (const { run } of assets)
      expect({ phase: run.phase === 'working', lease: run.lease, lost: run.lostLeases, attempt: run.attempt }).toEqual({
        phase: false,
        lease: null,
        lost: 0,
        attempt: 1,
      });
    held.release();
    await program.start();
    await allReadyAndFoundOnce(many, 'load');
    await program.standard.reaches(waiting.jobId, 'ready');
  });

  it('before any work exits immediately', async () => {
    const began = performance.now();
    expect(await program.process.stop()).toBe(0);
    // Longer than the wait for work in progress.
    expect(performance.now() - began).toBeLessThan(stopSeconds * 300);
    await program.start();
  });
});

describe('kill -9', () => {
  it('loses and duplicates nothing', async () => {
    const accepted: Accepted[] = [];
    for (let round = 0; round < 3; round += 1) {
      accepted.push(...(await registerMany(15, `kill${round}`)));
      await pause(30 + 60 * round);
      await program.process.kill();
      expect(integrityOf(program)).toEqual(['ok', 'ok']);
      await program.start();
    }
    for (let round = 0; round < 3; round += 1)
      await allReadyAndFoundOnce(accepted.slice(round * 15, round * 15 + 15), `kill${round}`);
    const before = await program.standard.get<{ total: number }>(200, 'GET', `${content}/assets?limit=1`);
    expect(await program.process.stop()).toBe(0);
    const { usage, assets } = await readStores(program);
    expect(assets).toHaveLength(before.total);
    for (const { assetId } of accepted) {
      const own = usage.filter((event) => event.assetId === assetId);
      expect(own.map(({ metric }) => metric).sort()).toEqual(['document_megabytes', 'source_bytes']);
    }
    for (const asset of assets)
      expect({ waits: asset.outbox, due: asset.outboxDue }).toEqual({ waits: [], due: undefined });
    await program.start();
  });

  it('keeps answered metadata, permissions, removals and cancellations', async () => {
    const [one, two, three] = await registerMany(3, 'kept');
    for (const { jobId } of [one!, two!, three!]) await program.standard.reaches(jobId, 'ready');
    const held = program.source.hold('kept-held.txt', 'kept and held');
    const four = await program.standard.register(held);
    await Promise.all([
      program.standard.get(200, 'PUT', `${content}/assets/${one!.assetId}/metadata`, {
        body: { metadata: { kept: true } },
      }),
      program.standard.get(200, 'PUT', `${content}/assets/${two!.assetId}/permissions`, {
        body: { mode: 'restricted', principals: ['keeper'] },
      }),
      program.standard.get(202, 'DELETE', `${content}/assets/${three!.assetId}`),
      program.standard.get(202, 'POST', `${content}/jobs/${four.jobId}/cancel`),
    ]);
    await program.process.kill();
    held.release();
    await program.start();
    const found = async (extra: object) =>
      (await program.standard.search({ query: 'kept', ...extra })).items.map(({ assetId }) => assetId).sort();
    expect(await found({})).toEqual([one!.assetId]);
    expect(await found({ principals: ['keeper'] })).toEqual([one!.assetId, two!.assetId].sort());
    expect(await found({ filter: { metadata: { kept: true } } })).toEqual([one!.assetId]);
    expect((await program.standard.ask('GET', `${content}/assets/${three!.assetId}`)).status).toBe(404);
    expect(await program.standard.job(four.jobId)).toMatchObject({ state: 'cancelled' });
  });
});
