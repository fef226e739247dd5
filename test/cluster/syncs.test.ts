import type { ServerResponse } from 'node:http';
import type { ConnectorView } from '../../models/connector.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { Client, until } from '../api/support/client.ts';
import { connectorsPath, summary, UsedConnector } from '../api/support/connectors.ts';
import { doubleCourse, doubleEnrollment, doubleFile, startCanvasDouble } from '../support/canvas-double.ts';
import { skipWithReason } from '../support/servers.ts';

/** Courses are pages of a listing, with a checkpoint every ten pages. */
const courses = 25;
const held = 23;
const filesOfEach = 4;
/** The first courses of the list, which is sorted by id as text. */
const first = Array.from({ length: courses }, (_, at) => String(101 + at));

const started = await startCluster({
  environment: { PLY_EMBEDDING_THREADS: '0', PLY_LEASE_SECONDS: '2', PLY_LOG_LEVEL: 'warn' },
  layout: [
    { name: 'control', roles: 'gateway,accounts,registrar,ledger' },
    { name: 'one', roles: 'connectors' },
    { name: 'other', roles: 'connectors' },
    { name: 'searcher', roles: 'searcher' },
  ],
});

if ('unavailable' in started) skipWithReason('syncs of a cluster whose processes end', started.unavailable);
else {
  const cluster = started;
  const double = await startCanvasDouble();
  afterAll(async () => {
    await Promise.all([cluster.stop(), double.stop()]);
  });
  const [one, other] = [cluster.processesOf('one')[0], cluster.processesOf('other')[0]];
  if (one === undefined || other === undefined) throw new Error('two sync processes are required');
  const client = new Client(cluster.apiUrl, cluster.organizationId, cluster.standardKey);

  /** Holds the requests for a course; returns how often the files of each course were requested since. */
  const holdAt = async (course: string): Promise<(id: string) => number> => {
    const waiting: ServerResponse[] = [];
    const begun = double.requests.length;
    double.instead = (request, response) => {
      if (!(request.url ?? '').startsWith(`/api/v1/courses/${course}/`)) return false;
      waiting.push(response);
      return true;
    };
    await until(
      () => Promise.resolve(waiting.length),
      (count) => count > 0,
    );
    return (id) =>
      double.requests.slice(begun).filter(({ path }) => path.startsWith(`/api/v1/courses/${id}/files`)).length;
  };

  /** Waits until a later sync has ended. The API may respond with 503 while no process runs connectors. */
  const endedAfter = async ({ id }: UsedConnector, before: string | null): Promise<ConnectorView> => {
    const { body } = await until(
      () => client.ask<ConnectorView>('GET', `${connectorsPath}/${id}`),
      ({ status, body }) => status === 200 && body.lastRunAt !== before && !body.syncPending,
    );
    return body;
  };

  describe('a sync of a cluster', () => {
    let connector: UsedConnector;
    beforeAll(async () => {
      for (const id of first)
        double.courses.push(
          doubleCourse(Number(id), {
            enrollments: [doubleEnrollment(1, 'TeacherEnrollment')],
            files: Array.from({ length: filesOfEach }, (_, at) =>
              doubleFile(Number(id) * 10 + at, `course-${id}-${at}.txt`, `Course ${id}, place ${at}.`),
            ),
          }),
        );
      connector = await UsedConnector.create(client, {
        kind: 'canvas',
        name: 'shared',
        config: { baseUrl: double.baseUrl },
        credential: double.token,
      });
    });

    it('continues at its checkpoint in another process after a kill', async () => {
      await other.stop();
      await connector.ask();
      const asked = await holdAt(first[held - 1]!);
      await one.kill();
      double.instead = () => false;
      other.start();
      const { lastSummary, lastError } = await endedAfter(connector, null);
      expect([lastSummary, lastError]).toEqual([summary({ new: courses * filesOfEach }), null]);
      // Pages before the last checkpoint are not listed again; no page after it is skipped.
      expect(first.slice(0, 10).map(asked)).toEqual(Array(10).fill(1));
      expect(asked(first[courses - 1]!)).toBe(1);
    });

    it('is taken from a frozen process, which changes nothing later', async () => {
      const file = double.courses[0]!.files[0]!;
      Object.assign(file, { content: Buffer.from('Another text.'), modified_at: '2026-02-02T00:00:00Z' });
      double.courses[held]!.files.pop();
      const { lastRunAt } = await connector.read();
      await connector.ask();
      await holdAt(first[held - 1]!);
      other.freeze();
      double.instead = () => false;
      one.start();
      const ended = await endedAfter(connector, lastRunAt);
      expect(ended.lastSummary).toEqual(summary({ changed: 1, removed: 1, unchanged: courses * filesOfEach - 2 }));
      other.resume();
      await other.ready();
      // One of the two processes runs the next sync normally.
      await one.stop();
      await until(
        () => client.ask('POST', `${connectorsPath}/${connector.id}/sync`),
        ({ status }) => status === 202,
      );
      expect((await endedAfter(connector, ended.lastRunAt)).lastSummary).toEqual(
        summary({ unchanged: courses * filesOfEach - 1 }),
      );
      expect([one.unexpectedExits, other.unexpectedExits]).toEqual([0, 0]);
    });
  });
}
