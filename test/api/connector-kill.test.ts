import type { ServerResponse } from 'node:http';
import type { JobView } from '../../models/api.ts';
import {
  doubleCourse,
  doubleEnrollment,
  doubleFile,
  startCanvasDouble,
  type CanvasDouble,
} from '../support/canvas-double.ts';
import { content, until } from './support/client.ts';
import { finds, summary, UsedConnector } from './support/connectors.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const courses = 12;
const filesOfEach = 5;

let program: TestProgram;
let double: CanvasDouble;
beforeAll(async () => {
  program = await startTestProgram();
  double = await startCanvasDouble();
});
afterAll(async () => {
  await program.end();
  await double.stop();
});

/** Holds the requests for a course; resolves when the program sends one. */
async function waitsFor(course: number): Promise<{ held: ServerResponse[] }> {
  const held: ServerResponse[] = [];
  double.instead = (request, response) => {
    if (!(request.url ?? '').startsWith(`/api/v1/courses/${course}/`)) return false;
    held.push(response);
    return true;
  };
  await until(
    () => Promise.resolve(held.length),
    (count) => count > 0,
  );
  return { held };
}

async function killAndStart(): Promise<void> {
  await program.process.kill();
  double.instead = () => false;
  await program.start();
}

describe('a program that is killed', () => {
  it('during syncs and reads resumes, with each file once and a correct summary', async () => {
    for (let id = 1; id <= courses; id += 1) {
      double.courses.push(
        doubleCourse(id, {
          enrollments: [doubleEnrollment(1, 'TeacherEnrollment')],
          files: Array.from({ length: filesOfEach }, (_, at) =>
            doubleFile(id * 10 + at, `course-${id}-${at}.txt`, `Wombats of course ${id} and place ${at}.`),
          ),
        }),
      );
    }
    const client = program.standard;
    const connector = await UsedConnector.create(client, {
      kind: 'canvas',
      name: 'killed',
      config: { baseUrl: double.baseUrl },
      credential: double.token,
    });
    await connector.ask();
    await waitsFor(8);
    await killAndStart();
    const { lastSummary, lastError } = await connector.ranAfter(null);
    expect([lastSummary, lastError]).toEqual([summary({ new: courses * filesOfEach }), null]);

    // Killed again while files are read.
    await until(
      () => connector.assets(),
      (assets) => assets.some(({ latestJob }) => latestJob?.state === 'ready'),
    );
    await killAndStart();
    const assets = await until(
      () => connector.assets(),
      (all) => all.every(({ latestJob }) => latestJob?.state === 'ready'),
    );
    expect(new Set(assets.map(({ externalId }) => externalId)).size).toBe(courses * filesOfEach);
    expect(assets.map(({ latestRevision, activeRevision }) => [latestRevision, activeRevision])).toEqual(
      Array(courses * filesOfEach).fill([1, 1]),
    );
    for (const { assetId } of assets.slice(0, 10))
      expect(
        (await client.get<{ items: JobView[] }>(200, 'GET', `${content}/assets/${assetId}/jobs`)).items,
      ).toHaveLength(1);
    await finds(
      client,
      'wombats',
      assets.map(({ filename }) => filename),
      { principals: [`canvas:${new URL(double.baseUrl).host}:user:1`] },
    );

    // A sync of removed, changed and newly granted files, also killed.
    for (const [at, course] of double.courses.entries()) {
      course.files.pop();
      Object.assign(course.files[0]!, {
        content: Buffer.from(`Numbats of course ${course.id}.`),
        modified_at: '2026-02-02T00:00:00Z',
      });
      if (at >= 6) course.enrollments.push(doubleEnrollment(2, 'StudentEnrollment'));
    }
    const { lastRunAt } = await connector.read();
    await connector.ask();
    await waitsFor(6);
    await killAndStart();
    const second = await connector.ranAfter(lastRunAt);
    expect(second.lastSummary).toEqual(summary({ changed: 12, removed: 12, reauthorized: 18, unchanged: 18 }));
    await finds(
      client,
      'numbats',
      double.courses.map(({ id }) => `course-${id}-0.txt`),
      { principals: [`canvas:${new URL(double.baseUrl).host}:user:1`] },
    );
    expect(program.process.unexpectedExits).toBe(0);
  });
});
