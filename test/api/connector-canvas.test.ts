import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobView } from '../../models/api.ts';
import type { ConnectorView } from '../../models/connector.ts';
import {
  doubleCourse,
  doubleEnrollment,
  doubleFile,
  startCanvasDouble,
  type CanvasDouble,
} from '../support/canvas-double.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import { connectorsPath, finds, found, missingFiles, summary, UsedConnector } from './support/connectors.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
let double: CanvasDouble;
beforeAll(async () => {
  program = await startTestProgram();
});
beforeEach(async () => {
  double = await startCanvasDouble();
});
afterEach(() => double.stop());
afterAll(() => program.end());

const principal = (kind: 'course' | 'user', id: number): string =>
  `canvas:${new URL(double.baseUrl).host}:${kind}:${id}`;
const as = (...ids: number[]): { principals: string[] } => ({ principals: ids.map((id) => principal('user', id)) });
let organizations = 0;
/** A connector of the double in a new organization. */
async function connect(more: object = {}): Promise<{ client: Client; connector: UsedConnector }> {
  organizations += 1;
  const client = program.standard.as((await program.admin.createOrganization(`Canvas ${organizations}`)).id);
  return {
    client,
    connector: await UsedConnector.create(client, {
      kind: 'canvas',
      name: 'canvas',
      config: { baseUrl: double.baseUrl },
      credential: double.token,
      ...more,
    }),
  };
}
const jobs = async (client: Client, assetId: string): Promise<JobView[]> =>
  (await client.get<{ items: JobView[] }>(200, 'GET', `${content}/assets/${assetId}/jobs`)).items;

describe('files of courses', () => {
  it('are found by enrolled people; enrolment changes update permissions only', async () => {
    const course = doubleCourse(7, {
      enrollments: [
        doubleEnrollment(1, 'TeacherEnrollment'),
        doubleEnrollment(2, 'StudentEnrollment'),
        doubleEnrollment(3, 'DesignerEnrollment'),
      ],
      files: [
        doubleFile(70, 'syllabus.txt', 'Marmots whistle when an eagle comes.'),
        doubleFile(71, 'hidden.txt', 'Marmots in the hidden exam.', { hidden: true }),
        doubleFile(72, 'locked.txt', 'Marmots in the locked exam.', { locked: true }),
      ],
    });
    double.courses.push(course);
    const { client, connector } = await connect();
    expect(await connector.settled()).toEqual(summary({ new: 3 }));
    const syllabus = await connector.asset('syllabus.txt');
    expect(syllabus).toMatchObject({
      externalId: `canvas:${new URL(double.baseUrl).host}/7/70`,
      sourceUrl: `${double.baseUrl}/courses/7/files/70`,
      aclMode: 'restricted',
      connectorName: 'canvas',
      sourceAccessMode: null,
    });
    await finds(client, 'marmots', ['hidden.txt', 'locked.txt', 'syllabus.txt'], as(1));
    await finds(client, 'marmots', ['hidden.txt', 'locked.txt', 'syllabus.txt'], as(3));
    await finds(client, 'marmots', ['syllabus.txt'], as(2));
    await finds(client, 'marmots', ['syllabus.txt'], { principals: [principal('course', 7)] });
    for (const nobody of [{}, as(4), { principals: [principal('course', 70)] }])
      expect(await found(client, 'marmots', nobody)).toEqual([]);
    expectRefused(await client.ask('GET', `${content}/assets/${syllabus.assetId}?principals=${principal('user', 4)}`), [
      404,
      'asset_not_found',
    ]);
    expect(await connector.settled()).toEqual(summary({ unchanged: 3 }));

    // One person leaves, one joins, one is deactivated: no file is read again, and the next search reflects it.
    course.enrollments = [
      doubleEnrollment(1, 'TeacherEnrollment'),
      doubleEnrollment(2, 'StudentEnrollment', { enrollment_state: 'inactive' }),
      doubleEnrollment(4, 'StudentEnrollment'),
    ];
    const asked = double.requests.filter(({ host }) => host === 'files').length;
    const { lastSummary } = await connector.sync();
    expect(lastSummary).toEqual(summary({ reauthorized: 3 }));
    // The new permissions apply immediately, whatever the passage index contains.
    expect([await found(client, 'marmots', as(2)), await found(client, 'marmots', as(3))]).toEqual([[], []]);
    await finds(client, 'marmots', ['syllabus.txt'], as(4));
    await finds(client, 'marmots', ['hidden.txt', 'locked.txt', 'syllabus.txt'], as(1));
    expect(double.requests.filter(({ host }) => host === 'files')).toHaveLength(asked);
    expect(await jobs(client, syllabus.assetId)).toHaveLength(1);

    // Hidden files are withdrawn from students, visible ones are granted; manual permissions are overwritten.
    await client.get(200, 'PUT', `${content}/assets/${syllabus.assetId}/permissions`, {
      body: { mode: 'open', principals: [] },
    });
    for (const file of course.files) file.hidden = file.id === 70;
    expect(await connector.settled()).toMatchObject({ new: 0, changed: 0, failed: 0, reauthorized: 2 });
    await finds(client, 'marmots', ['hidden.txt'], as(4));

    // A new version is read again, a new name is not.
    Object.assign(course.files[0]!, {
      content: Buffer.from('Marmots sleep in winter.'),
      modified_at: '2026-02-01T00:00:00Z',
      hidden: false,
    });
    course.files[1]!.display_name = 'shown.txt';
    const counted = await connector.settled();
    expect([counted?.changed, counted?.moved, counted?.unchanged]).toEqual([1, 1, 1]);
    await finds(client, 'marmots', ['shown.txt', 'syllabus.txt'], as(4));
    expect((await connector.asset('shown.txt')).latestRevision).toBe(1);
  });

  it('are granted to nobody after their course ends, and withheld after it is deleted', async () => {
    const course = (id: number, text: string) =>
      doubleCourse(id, {
        enrollments: [doubleEnrollment(1, 'TeacherEnrollment'), doubleEnrollment(2, 'StudentEnrollment')],
        files: [doubleFile(id * 10, `${id}.txt`, text)],
      });
    double.courses.push(
      course(1, 'Tapirs of the first course.'),
      course(2, 'Tapirs of the second course.'),
      course(3, 'Tapirs of the third course.'),
    );
    const { client, connector } = await connect();
    expect(await connector.settled()).toEqual(summary({ new: 3 }));
    await finds(client, 'tapirs', ['1.txt', '2.txt', '3.txt'], as(2));
    double.courses[0]!.workflow_state = 'completed';
    Object.assign(double.courses[1]!, { end_at: '2026-01-01T00:00:00Z', restrict_enrollments_to_course_dates: true });
    double.courses[2]!.workflow_state = 'deleted';
    expect(await connector.settled()).toEqual(summary({ reauthorized: 2, removed: 1 }));
    for (const reader of [as(1), as(2), { principals: [principal('course', 1)] }])
      await finds(client, 'tapirs', [], reader);
    expect((await missingFiles(client)).map(({ filename }) => filename)).toEqual(['3.txt']);
    for (const one of double.courses)
      Object.assign(one, { workflow_state: 'available', restrict_enrollments_to_course_dates: false });
    expect(await connector.settled()).toMatchObject({ new: 0, changed: 0, failed: 0 });
    await finds(client, 'tapirs', ['1.txt', '2.txt', '3.txt'], as(2));
    expect(await missingFiles(client)).toEqual([]);
  });

  it('are visible to everybody with an open connector, and to enrolled people with a restricted one', async () => {
    double.courses.push(
      doubleCourse(1, {
        enrollments: [doubleEnrollment(1, 'TeacherEnrollment')],
        files: [doubleFile(1, 'open.txt', 'Capybaras swim.')],
      }),
    );
    const { client, connector } = await connect({ defaultAclMode: 'open' });
    expect(await connector.settled()).toEqual(summary({ new: 1 }));
    await finds(client, 'capybaras', ['open.txt']);
    await client.get<ConnectorView>(200, 'PUT', `${connectorsPath}/${connector.id}`, {
      body: { kind: 'canvas', name: 'canvas', config: { baseUrl: double.baseUrl } },
    });
    expect((await connector.sync()).lastSummary).toEqual(summary({ reauthorized: 1 }));
    expect(await found(client, 'capybaras')).toEqual([]);
    await finds(client, 'capybaras', ['open.txt'], as(1));
  });
});

describe('a Canvas', () => {
  it('that refuses the token or a course removes no file', async () => {
    const enrollments = [doubleEnrollment(1, 'TeacherEnrollment')];
    double.courses.push(
      doubleCourse(1, { enrollments, files: [doubleFile(1, 'kept.txt', 'Sloths hang.')] }),
      doubleCourse(2, { enrollments, files: [doubleFile(2, 'seen.txt', 'Sloths sleep.')] }),
    );
    const { client, connector } = await connect();
    expect(await connector.settled()).toEqual(summary({ new: 2 }));
    double.instead = (request, response) => {
      if (!(request.url ?? '').includes('/courses/1/enrollments')) return false;
      response.writeHead(403, { 'content-type': 'application/json' }).end('{"status":"unauthorized"}');
      return true;
    };
    const refused = await connector.sync();
    expect(refused).toMatchObject({
      lastError: null,
      lastSummary: summary({ unchanged: 1, failed: 1 }),
      failures: [
        {
          externalId: `canvas:${new URL(double.baseUrl).host}/1/`,
          errorCode: 'source_access_denied',
          seenAt: expect.stringMatching(/Z$/),
        },
      ],
    });
    double.instead = () => false;
    double.token = '1234~AnotherToken';
    const { lastError, lastSummary } = await connector.sync();
    expect([lastError, lastSummary]).toEqual([
      'Canvas answered 401: the credential is not valid, or has expired.',
      refused.lastSummary,
    ]);
    await finds(client, 'sloths', ['kept.txt', 'seen.txt'], as(1));
    expect(await missingFiles(client)).toEqual([]);
  });

  it('that throttles is retried later; its token and file verifiers are not exposed', async () => {
    double.courses.push(
      doubleCourse(1, {
        enrollments: [doubleEnrollment(1, 'TeacherEnrollment')],
        files: Array.from({ length: 15 }, (_, at) => doubleFile(at + 1, `file-${at}.txt`, `Gibbons swing ${at}.`)),
      }),
    );
    double.throttled = { times: 2, as: 'status 403' };
    const { client, connector } = await connect();
    expect(await connector.settled()).toEqual(summary({ new: 15 }));
    expect((await connector.assets()).map(({ latestJob }) => latestJob?.state)).toEqual(Array(15).fill('ready'));
    expect(double.requests.filter(({ host }) => host === 'files').map(({ authorization }) => authorization)).toEqual(
      Array(15).fill(null),
    );
    const keys = double.requests.flatMap(({ path }) => /(?:verifier|key)=(\w+)/.exec(path)?.[1] ?? []);
    expect(keys.length).toBeGreaterThanOrEqual(15);
    const seen = [
      readFileSync(program.logFile, 'utf8'),
      ...(await Promise.all(
        [connectorsPath, `${content}/activity?limit=100`].map(async (path) =>
          JSON.stringify(await client.get(200, 'GET', path)),
        ),
      )),
    ].join();
    for (const secret of [double.token, ...keys]) expect(seen).not.toContain(secret);
  });

  it('is only followed to hosts that the organization lists', async () => {
    double.courses.push(
      doubleCourse(1, {
        enrollments: [doubleEnrollment(1, 'TeacherEnrollment')],
        files: [doubleFile(1, 'sent on.txt', 'Tamarins leap.')],
      }),
    );
    const { client, connector } = await connect();
    await client.get(200, 'PATCH', `${content}/settings`, { body: { sourceHosts: ['canvas.example.com'] } });
    // Other processes of a cluster apply settings within a second.
    await pause(1200);
    expect((await connector.sync()).lastError).toContain('sourceHosts');
    expect(await connector.assets()).toEqual([]);
    await client.get(200, 'DELETE', `${content}/settings`);
    await pause(1200);
    expect(await connector.settled()).toEqual(summary({ new: 1 }));
    await until(
      () => connector.asset('sent on.txt'),
      ({ latestJob }) => latestJob?.state === 'ready',
    );
  });
});
