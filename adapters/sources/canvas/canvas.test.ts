import { guardedClient } from '../../../mixins/guarded-client/client.ts';
import {
  doubleCourse,
  doubleEnrollment,
  doubleFile,
  startCanvasDouble,
  type CanvasDouble,
  type DoubleCourse,
} from '../../../test/support/canvas-double.ts';
import { addressReader, listAll, sourcesConformance } from '../conformance.ts';
import type { Source, SourceEntry } from '../port.ts';
import { openCanvasSource } from './canvas.ts';
import { nextLink } from './api.ts';

const client = guardedClient({ privateNetworks: 'allow' });
afterAll(() => client.close());

const now = Date.parse('2026-06-01T00:00:00Z');
const waits: number[] = [];

function open(double: { baseUrl: string }, change: { token?: string; withPrincipals?: boolean } = {}): Source {
  const wait = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    waits.push(milliseconds);
  };
  return openCanvasSource({
    config: { baseUrl: double.baseUrl },
    token: change.token ?? '1234~TokenOfTheTests',
    client,
    runtime: { now: () => now },
    withPrincipals: change.withPrincipals ?? true,
    wait,
  });
}

sourcesConformance('the files of courses in Canvas', async () => {
  const double = await startCanvasDouble();
  const course = doubleCourse(7, { enrollments: [doubleEnrollment(11, 'TeacherEnrollment')] });
  double.courses.push(doubleCourse(70), course, doubleCourse(8));
  let next = 100;
  const put = async (name: string, content: string): Promise<void> => {
    const file = course.files.find(({ display_name }) => display_name === name);
    if (file === undefined) course.files.push(doubleFile((next += 1), name, content));
    else
      Object.assign(file, {
        content: Buffer.from(content),
        modified_at: `2026-01-01T00:00:${String((next += 1) % 60).padStart(2, '0')}Z`,
      });
  };
  return {
    open: async (fault) =>
      open(
        {
          baseUrl:
            fault === 'temporary'
              ? 'http://127.0.0.1:1'
              : fault === 'absent'
                ? `${double.baseUrl}/elsewhere`
                : double.baseUrl,
        },
        { ...(fault === 'credential' && { token: 'another' }) },
      ),
    put,
    putMany: async (names) => {
      for (const name of names) await put(name, name);
    },
    remove: async (name) =>
      void course.files.splice(
        course.files.findIndex(({ display_name }) => display_name === name),
        1,
      ),
    read: addressReader(client),
    secrets: [double.token, 'another', 'verifier', 'uuid'],
    stop: double.stop,
  };
});

describe('Canvas', () => {
  const signal = new AbortController().signal;
  let double: CanvasDouble;
  beforeEach(async () => {
    double = await startCanvasDouble();
    waits.length = 0;
  });
  afterEach(() => double.stop());
  const principal = (kind: string, id: number): string => `canvas:${new URL(double.baseUrl).host}:${kind}:${id}`;
  const grants = async (source: Source): Promise<Record<string, string[] | null>> =>
    Object.fromEntries((await listAll(source)).map(({ filename, principals }) => [filename, principals]));
  const people = (): DoubleCourse['enrollments'] => [
    doubleEnrollment(1, 'TeacherEnrollment'),
    doubleEnrollment(2, 'DesignerEnrollment'),
    doubleEnrollment(3, 'TaEnrollment'),
    doubleEnrollment(4, 'StudentEnrollment'),
    doubleEnrollment(4, 'StudentEnrollment', { course_section_id: 2, limit_privileges_to_course_section: true }),
    doubleEnrollment(5, 'ObserverEnrollment'),
    doubleEnrollment(6, 'StudentEnrollment', { enrollment_state: 'invited' }),
    doubleEnrollment(7, 'StudentEnrollment', { enrollment_state: 'completed' }),
    doubleEnrollment(8, 'TeacherEnrollment', { enrollment_state: 'inactive' }),
  ];
  const everyone = (course: number): string[] => [
    principal('course', course),
    ...[1, 2, 3, 4, 5].map((id) => principal('user', id)),
  ];
  const staff = (): string[] => [principal('user', 1), principal('user', 2)];

  it('grants a file to the active enrolments of its course, a hidden or locked one to teachers and designers', async () => {
    const earlier = '2026-05-31T23:59:59Z';
    const later = '2026-06-01T00:00:01Z';
    double.courses.push(
      doubleCourse(9, {
        enrollments: people(),
        folders: [
          ...doubleCourse(9).folders,
          { id: 2, parent_folder_id: 1, hidden: true, locked: false, lock_at: null, unlock_at: null },
          { id: 3, parent_folder_id: 2, hidden: false, locked: false, lock_at: null, unlock_at: null },
          { id: 4, parent_folder_id: 1, hidden: false, locked: false, lock_at: null, unlock_at: later },
        ],
        files: [
          doubleFile(1, 'open.pdf', 'x'),
          doubleFile(2, 'hidden.pdf', 'x', { hidden: true }),
          doubleFile(3, 'locked.pdf', 'x', { locked: true }),
          doubleFile(4, 'opens later.pdf', 'x', { unlock_at: later }),
          doubleFile(5, 'opened.pdf', 'x', { unlock_at: earlier, lock_at: later }),
          doubleFile(6, 'closed.pdf', 'x', { lock_at: earlier }),
          doubleFile(7, 'below a hidden folder.pdf', 'x', { folder_id: 3 }),
          doubleFile(8, 'in a folder that opens later.pdf', 'x', { folder_id: 4 }),
          doubleFile(9, 'in a folder that is not listed.pdf', 'x', { folder_id: 99 }),
          doubleFile(10, 'half.pdf', 'x', { upload_status: 'pending' }),
          doubleFile(11, 'a time that is none.pdf', 'x', { lock_at: 'soon' }),
        ],
      }),
    );
    expect(await grants(open(double))).toEqual({
      'open.pdf': everyone(9),
      'opened.pdf': everyone(9),
      ...Object.fromEntries(
        [
          'hidden.pdf',
          'locked.pdf',
          'opens later.pdf',
          'closed.pdf',
          'below a hidden folder.pdf',
          'in a folder that opens later.pdf',
          'in a folder that is not listed.pdf',
          'a time that is none.pdf',
        ].map((name) => [name, staff()]),
      ),
    });
    expect(await grants(open(double, { withPrincipals: false }))).toMatchObject({
      'open.pdf': null,
      'hidden.pdf': null,
    });
  });

  it('grants the files of an ended course to nobody, of an unpublished one to teachers and designers', async () => {
    const file = (id: number): DoubleCourse['files'] => [doubleFile(id, `${id}.pdf`, 'x')];
    double.courses.push(
      doubleCourse(1, { workflow_state: 'completed', enrollments: people(), files: file(1) }),
      doubleCourse(2, {
        end_at: '2026-05-31T00:00:00Z',
        restrict_enrollments_to_course_dates: true,
        enrollments: people(),
        files: file(2),
      }),
      doubleCourse(3, { end_at: '2026-05-31T00:00:00Z', enrollments: people(), files: file(3) }),
      doubleCourse(4, { workflow_state: 'unpublished', enrollments: people(), files: file(4) }),
      doubleCourse(5, { workflow_state: 'deleted', enrollments: people(), files: file(5) }),
    );
    expect(await grants(open(double))).toEqual({ '1.pdf': [], '2.pdf': [], '3.pdf': everyone(3), '4.pdf': staff() });
  });

  it('uses the principal of the course for more people than a file may have principals', async () => {
    const enrollments = Array.from({ length: 5001 }, (_, at) =>
      doubleEnrollment(at + 1, at === 0 ? 'TeacherEnrollment' : 'StudentEnrollment'),
    );
    double.courses.push(
      doubleCourse(1, {
        enrollments,
        files: [doubleFile(1, 'open.pdf', 'x'), doubleFile(2, 'hidden.pdf', 'x', { hidden: true })],
      }),
      doubleCourse(2, { enrollments: enrollments.slice(0, 4999), files: [doubleFile(3, 'most.pdf', 'x')] }),
    );
    const granted = await grants(open(double));
    expect([granted['open.pdf'], granted['hidden.pdf'], granted['most.pdf']?.length]).toEqual([
      [principal('course', 1)],
      [principal('user', 1)],
      5000,
    ]);
  });

  it('reports a gap if a roster, the folders or the files cannot be read', async () => {
    const host = new URL(double.baseUrl).host;
    double.courses.push(
      ...[1, 2, 3, 4, 5].map((id) =>
        doubleCourse(id, { enrollments: people(), files: [doubleFile(id, `${id}.pdf`, 'x')] }),
      ),
    );
    double.instead = (request, response) => {
      const status = /courses\/1\/enrollments/.test(request.url ?? '')
        ? 403
        : /courses\/2\/files/.test(request.url ?? '')
          ? 500
          : /courses\/3\/folders/.test(request.url ?? '')
            ? 404
            : null;
      if (status !== null) response.writeHead(status).end('{}');
      // Older versions answer 401 to a valid token where newer ones answer 403.
      const isForbidden = /courses\/5\/enrollments/.test(request.url ?? '');
      if (isForbidden)
        response
          .writeHead(401)
          .end('{"status":"unauthorized","errors":[{"message":"user not authorized to perform that action"}]}');
      return status !== null || isForbidden;
    };
    const source = open(double);
    const gaps: unknown[] = [];
    const entries: SourceEntry[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await source.list(cursor, signal);
      gaps.push(...page.gaps);
      entries.push(...page.entries);
      if ((cursor = page.next) === null) break;
    }
    expect(gaps).toEqual([
      { prefix: `canvas:${host}/1/`, errorCode: 'source_access_denied' },
      { prefix: `canvas:${host}/2/`, errorCode: 'source_unreachable' },
      { prefix: `canvas:${host}/3/`, errorCode: 'source_access_denied' },
      { prefix: `canvas:${host}/5/`, errorCode: 'source_access_denied' },
    ]);
    expect(entries.map(({ filename }) => filename)).toEqual(['4.pdf']);
  });

  it('accepts an empty roster after a second request', async () => {
    double.courses.push(doubleCourse(1, { enrollments: people(), files: [doubleFile(1, 'a.pdf', 'x')] }));
    let empty = 1;
    double.instead = (request, response) => {
      if (!/enrollments/.test(request.url ?? '') || (empty -= 1) < 0) return false;
      response.writeHead(200).end('[]');
      return true;
    };
    expect((await grants(open(double)))['a.pdf']).toEqual(everyone(1));
    empty = 2;
    expect((await grants(open(double)))['a.pdf']).toEqual([]);
    expect(double.requests.filter(({ path }) => /enrollments/.test(path))).toHaveLength(4);
  });

  it('with the token of a student cannot read locked files, and reports closed courses as gaps', async () => {
    double.viewer = 'student';
    double.courses.push(
      doubleCourse(1, {
        enrollments: people(),
        files: [
          doubleFile(1, 'open.pdf', 'open'),
          doubleFile(2, 'locked.pdf', 'x', { locked: true }),
          doubleFile(3, 'hidden.pdf', 'x', { hidden: true }),
        ],
      }),
      doubleCourse(2, { workflow_state: 'completed' }),
    );
    const source = open(double);
    const { entries, next } = await source.list(null, signal);
    expect(entries.map(({ filename }) => filename)).toEqual(['open.pdf', 'locked.pdf']);
    expect((await source.list(next, signal)).gaps).toEqual([
      { prefix: `canvas:${new URL(double.baseUrl).host}/2/`, errorCode: 'source_access_denied' },
    ]);
    const [readable, locked] = entries;
    if (readable === undefined || locked === undefined) throw new Error('two files are listed');
    await expect(source.addressOf(locked, signal)).rejects.toMatchObject({ name: 'SourceError', reason: 'credential' });
    expect(await addressReader(client)(await source.addressOf(readable, signal))).toMatchObject({ content: 'open' });
  });

  it('orders courses and files by the bytes of their ids, and keeps large ids exact', async () => {
    const big = doubleCourse(3, { files: [doubleFile(1, 'big.pdf', 'x')] });
    double.courses.push(
      doubleCourse(10, { files: [doubleFile(20, 'a.pdf', 'x'), doubleFile(3, 'b.pdf', 'x')] }),
      doubleCourse(2, { files: [doubleFile(100, 'c.pdf', 'x')] }),
      doubleCourse(1, { files: [doubleFile(4, 'd.pdf', 'x')] }),
      big,
    );
    double.instead = (request, response) => {
      if (!/courses\/3\/files/.test(request.url ?? '')) return false;
      response
        .writeHead(200)
        .end('[{"id":"10000000000000123456","display_name":"big.pdf","size":1,"modified_at":"2026-01-01T00:00:00Z"}]');
      return true;
    };
    const host = new URL(double.baseUrl).host;
    expect((await listAll(open(double))).map(({ externalId }) => externalId)).toEqual(
      ['1/4', '10/20', '10/3', '2/100', '3/10000000000000123456'].map((id) => `canvas:${host}/${id}`),
    );
  });

  it('respects the rate limit: waits with few points, retries after both kinds of throttling, sends one request at a time', async () => {
    double.courses.push(doubleCourse(1, { enrollments: people(), files: [doubleFile(1, 'a.pdf', 'x')] }));
    const source = open(double);
    await source.list(null, signal);
    expect(waits).toEqual([]);
    double.points = 40;
    await open(double).list(null, signal);
    expect(waits).toEqual([6000, 6000, 6000, 6000, 6000]);
    double.points = 600;
    for (const as of ['status 429', 'status 403'] as const) {
      waits.length = 0;
      double.throttled = { times: 2, as };
      expect((await open(double).list(null, signal)).entries).toHaveLength(1);
      expect(waits).toEqual([10_000, 10_000]);
    }
    double.throttled = { times: 100, as: 'status 429' };
    await expect(open(double).list(null, signal)).rejects.toMatchObject({ name: 'SourceError', reason: 'temporary' });
    double.throttled = { times: 0, as: 'status 429' };
    double.maxConcurrent = 0;
    await Promise.all([1, 2, 3, 4].map(() => open(double).list(null, signal)));
    expect(double.maxConcurrent).toBe(1);
  });

  it('sends the token only to Canvas, and not to the target of a download redirect', async () => {
    double.courses.push(doubleCourse(1, { enrollments: people(), files: [doubleFile(1, 'a.pdf', 'the content')] }));
    const source = open(double);
    const [entry] = await listAll(source);
    if (entry === undefined) throw new Error('a file is listed');
    const address = await source.addressOf(entry, signal);
    expect([address.redirects, address.verified]).toEqual([true, true]);
    expect(await addressReader(client)(address)).toMatchObject({ content: 'the content' });
    expect(double.requests.filter(({ host }) => host === 'files')).toEqual([
      { host: 'files', path: expect.any(String), authorization: null },
    ]);
    expect(JSON.stringify(entry)).not.toContain(new URL(address.address).searchParams.get('verifier'));
  });
});

describe('the link of the next page', () => {
  it.each([
    ['<https://a.example/x?page=2>; rel="next"', 'https://a.example/x?page=2'],
    [
      '<https://a.example/1>; rel="current",<https://a.example/2>; rel="next",<https://a.example/9>; rel="last"',
      'https://a.example/2',
    ],
    [
      '<https://a.example/1,2;3>; REL="prev", <https://a.example/4,5;6>; title="a, b"; Rel=NEXT',
      'https://a.example/4,5;6',
    ],
    ['<https://a.example/2>; rel="last next"', 'https://a.example/2'],
    ['<https://a.example/2>; rel="nextish"', null],
    ['https://a.example/2; rel="next"', null],
    ['', null],
    [null, null],
  ])('of %j is %j', (header, address) => {
    expect(nextLink(header)).toBe(address);
  });
});
