import { guardedClient } from '../../../mixins/guarded-client/client.ts';
import {
  doubleCourse,
  doubleEnrollment,
  doubleFile,
  startCanvasDouble,
  type CanvasDouble,
  type DoubleCourse,
} from '../../../test/support/canvas-double.ts';
import { doubleModule, type DoubleModule } from '../../../test/support/canvas-modules.ts';
import { openCanvasSource } from './canvas.ts';

const client = guardedClient({ privateNetworks: 'allow' });
afterAll(() => client.close());

const now = Date.parse('2026-06-01T00:00:00Z');
const later = '2026-06-01T00:00:01Z';

let double: CanvasDouble;
beforeEach(async () => {
  double = await startCanvasDouble();
});
afterEach(() => double.stop());

/**
 * Person one is a teacher; two and three are students of the first section, four of the second; five is an assistant;
 * six is a designer and a student.
 */
const people = (): DoubleCourse['enrollments'] => [
  doubleEnrollment(1, 'TeacherEnrollment'),
  doubleEnrollment(2, 'StudentEnrollment'),
  doubleEnrollment(3, 'StudentEnrollment'),
  doubleEnrollment(4, 'StudentEnrollment', { course_section_id: 2 }),
  doubleEnrollment(5, 'TaEnrollment', { course_section_id: 2 }),
  doubleEnrollment(6, 'DesignerEnrollment'),
  doubleEnrollment(6, 'StudentEnrollment'),
];

/** Who sees each file of a course with the modules: ids of people, and `all` for the course's own principal. */
async function seen(modules: DoubleModule[], more: Partial<DoubleCourse> = {}): Promise<{ [file: string]: string }> {
  double.courses = [
    doubleCourse(1, {
      enrollments: people(),
      files: [10, 11, 12].map((id) => doubleFile(id, `${id}.pdf`, 'x')),
      modules,
      ...more,
    }),
  ];
  const source = openCanvasSource({
    config: { baseUrl: double.baseUrl },
    token: double.token,
    client,
    runtime: { now: () => now },
    withPrincipals: true,
  });
  const { entries, gaps } = await source.list(null, new AbortController().signal);
  expect(gaps).toEqual([]);
  const short = (principal: string): string =>
    principal.includes(':course:') ? 'all' : principal.slice(principal.lastIndexOf(':') + 1);
  return Object.fromEntries(
    entries.map(({ filename, principals }) => [filename.slice(0, 2), principals?.map(short).join(' ') ?? 'none']),
  );
}
const asked = (): string[] => double.requests.flatMap(({ path }) => /modules.*/.exec(decodeURIComponent(path)) ?? []);
const everyone = 'all 1 2 3 4 5 6';

describe('modules of a course', () => {
  it('that are open or without files lock no files', async () => {
    expect(
      await seen([
        doubleModule(1, [10], { unlock_at: '2026-06-01T00:00:00Z' }),
        doubleModule(2, [99], { published: false }),
        doubleModule(3, []),
      ]),
    ).toEqual({ '10': everyone, '11': everyone, '12': everyone });
    expect(asked()).toEqual(['modules?include[]=items&per_page=100', 'modules/1/assignment_overrides?per_page=100']);
  });

  it('lock files for all but teachers and designers until they open and are published, unless another module shows them', async () => {
    const modules = [
      doubleModule(1, [10, 11], { unlock_at: later }),
      doubleModule(2, [12], { published: false }),
      doubleModule(3, [11]),
      doubleModule(4, [12], { unlock_at: 'soon' }),
    ];
    expect(await seen(modules)).toEqual({ '10': '1 6', '11': everyone, '12': '1 6' });
  });

  it('show files to the sections and students that they are assigned to', async () => {
    const toSection = doubleModule(1, [10], {
      overrides: [{ id: 1, context_module_id: 1, title: 'Section', course_section: { id: 2, name: 'Second' } }],
    });
    const toStudents = doubleModule(2, [11], {
      overrides: [
        {
          id: 2,
          context_module_id: 2,
          title: '2 students',
          students: [
            { id: 3, name: 'C' },
            { id: 77, name: 'left' },
          ],
        },
      ],
    });
    const toGroup = doubleModule(3, [12], {
      overrides: [{ id: 3, context_module_id: 3, title: 'a tag', group: { id: 5, name: 'tag' } }],
    });
    expect(await seen([toSection, toStudents, toGroup])).toEqual({ '10': '1 4 5 6', '11': '1 3 6', '12': '1 6' });
    expect(await seen([toSection, doubleModule(4, [10], { overrides: toStudents.overrides })])).toMatchObject({
      '10': '1 3 4 5 6',
    });
  });

  it('with prerequisites show files to the students who completed those', async () => {
    const module = doubleModule(2, [10], {
      prerequisite_module_ids: [1],
      progress: {
        2: { state: 'unlocked', done: [] },
        3: { state: 'locked', done: [] },
        4: { state: 'completed', done: [] },
      },
    });
    expect(await seen([doubleModule(1, [11]), module])).toEqual({ '10': '1 2 4 5 6', '11': everyone, '12': everyone });
    expect(
      asked()
        .filter((path) => path.includes('student_id'))
        .map((path) => /student_id=(\d+)/.exec(path)?.[1]),
    ).toEqual(['2', '3', '4']);
  });

  it('with a sequence show each student the files up to the first incomplete item', async () => {
    const items = [
      { file: 10, isRequired: true },
      { file: null, isRequired: true },
      { file: 11, isRequired: false },
      { file: 12, isRequired: true },
    ];
    const progress: DoubleModule['progress'] = {
      3: { state: 'started', done: [1] },
      4: { state: 'started', done: [1, 2] },
    };
    const expected = { '10': '1 2 3 4 5 6', '11': '1 4 5 6', '12': '1 4 5 6' };
    expect(await seen([doubleModule(1, [], { items, require_sequential_progress: true, progress })])).toEqual(expected);
    expect(
      await seen([doubleModule(1, [], { items, require_sequential_progress: true, progress, isLarge: true })]),
    ).toEqual(expected);
    // Without requirements the sequence locks nothing.
    expect(await seen([doubleModule(1, [10], { require_sequential_progress: true })])).toMatchObject({
      '10': everyone,
    });
  });

  it('are not requested if only staff or nobody sees the files', async () => {
    const modules = [doubleModule(1, [10], { published: false })];
    expect(await seen(modules, { workflow_state: 'unpublished' })).toMatchObject({ '10': '1 6' });
    expect(await seen(modules, { workflow_state: 'completed' })).toMatchObject({ '10': '' });
    expect(await seen(modules, { enrollments: [doubleEnrollment(1, 'TeacherEnrollment')] })).toMatchObject({
      '10': 'all 1',
    });
    expect(asked()).toEqual([]);
  });

  it('show their files only to staff if the token may not see assignments or progress', async () => {
    const refused = (pattern: RegExp, status: number): void => {
      double.instead = (request, response) => {
        const isRefused = pattern.test(request.url ?? '');
        if (isRefused)
          response
            .writeHead(status, { 'content-type': 'application/json' })
            .end('{"status":"unauthorized","errors":[{"message":"user not authorized to perform that action"}]}');
        return isRefused;
      };
    };
    // Older versions of Canvas answer 401 to a user without the permission, newer ones 403.
    for (const status of [401, 403]) {
      refused(/assignment_overrides/, status);
      expect(await seen([doubleModule(1, [10])])).toMatchObject({ '10': '1 6', '11': everyone });
    }
    // A version without assignments assigns all modules to everybody.
    refused(/assignment_overrides/, 404);
    expect(await seen([doubleModule(1, [10])])).toMatchObject({ '10': everyone });
    refused(/student_id=2/, 403);
    const progress = { 2: { state: 'unlocked' as const, done: [] }, 4: { state: 'unlocked' as const, done: [] } };
    expect(await seen([doubleModule(1, [10], { prerequisite_module_ids: [9], progress })])).toMatchObject({
      '10': '1 4 5 6',
    });
  });

  it('that are disabled in a course lock no files', async () => {
    double.instead = (request, response) => {
      const isModules = /modules/.test(request.url ?? '');
      if (isModules)
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end('{"message":"That page has been disabled for this course"}');
      return isModules;
    };
    expect(await seen([doubleModule(1, [10], { published: false })])).toEqual({
      '10': everyone,
      '11': everyone,
      '12': everyone,
    });
  });

  it('that cannot be read make the course a gap', async () => {
    for (const [status, errorCode] of [
      [403, 'source_access_denied'],
      [500, 'source_unreachable'],
    ] as const) {
      double.courses = [doubleCourse(1, { enrollments: people(), files: [doubleFile(10, 'a.pdf', 'x')] })];
      double.instead = (request, response) => {
        const isModules = /modules/.test(request.url ?? '');
        if (isModules) response.writeHead(status).end('{}');
        return isModules;
      };
      const source = openCanvasSource({
        config: { baseUrl: double.baseUrl },
        token: double.token,
        client,
        runtime: { now: () => now },
        withPrincipals: true,
      });
      expect(await source.list(null, new AbortController().signal)).toMatchObject({
        entries: [],
        gaps: [{ prefix: `canvas:${new URL(double.baseUrl).host}/1/`, errorCode }],
      });
    }
  });
});
