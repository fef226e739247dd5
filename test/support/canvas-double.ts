import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { listModules, type DoubleModule } from './canvas-modules.ts';

/** A file of a course, with the fields of Canvas's documentation that matter; times are ISO 8601. */
export interface DoubleFile {
  id: number;
  folder_id: number;
  display_name: string;
  content: Buffer;
  modified_at: string;
  hidden: boolean;
  locked: boolean;
  lock_at: string | null;
  unlock_at: string | null;
  upload_status: 'success' | 'pending';
}

/** A folder of a course. */
export interface DoubleFolder {
  id: number;
  parent_folder_id: number | null;
  hidden: boolean;
  locked: boolean;
  lock_at: string | null;
  unlock_at: string | null;
}

/** An enrolment: a person may have several in a course, one for each section and role. */
export interface DoubleEnrollment {
  user_id: number;
  type: 'StudentEnrollment' | 'TeacherEnrollment' | 'TaEnrollment' | 'DesignerEnrollment' | 'ObserverEnrollment';
  enrollment_state: 'active' | 'invited' | 'completed' | 'inactive' | 'deleted';
  course_section_id: number;
  limit_privileges_to_course_section: boolean;
}

/** A course with its contents. */
export interface DoubleCourse {
  id: number;
  workflow_state: 'unpublished' | 'available' | 'completed' | 'deleted';
  end_at: string | null;
  restrict_enrollments_to_course_dates: boolean;
  folders: DoubleFolder[];
  files: DoubleFile[];
  enrollments: DoubleEnrollment[];
  modules: DoubleModule[];
}

/** A Canvas that behaves as documented. Tests change its contents and its answers. */
export interface CanvasDouble {
  baseUrl: string;
  token: string;
  courses: DoubleCourse[];
  /**
   * Whom the token belongs to: a student sees neither hidden files nor unpublished courses, and cannot download locked
   * files.
   */
  viewer: 'teacher' | 'student';
  /** Rate limit points left, as the next answers report; null if they do not. */
  points: number | null;
  /** How the next requests are throttled. */
  throttled: { times: number; as: 'status 429' | 'status 403' };
  /** Handles a request instead of the double if it returns true. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Received requests with their host and authorization. */
  requests: { host: 'canvas' | 'files'; path: string; authorization: string | null }[];
  /** Maximum number of concurrent requests to the API. */
  maxConcurrent: number;
  stop(): Promise<void>;
}

/** A file in the root folder (id 1) that everybody in its course sees. */
export function doubleFile(
  id: number,
  display_name: string,
  content: string,
  more: Partial<DoubleFile> = {},
): DoubleFile {
  return {
    id,
    folder_id: 1,
    display_name,
    content: Buffer.from(content),
    modified_at: '2026-01-01T00:00:00Z',
    hidden: false,
    locked: false,
    lock_at: null,
    unlock_at: null,
    upload_status: 'success',
    ...more,
  };
}

/** A course that runs, with its root folder and nothing in it. */
export function doubleCourse(id: number, more: Partial<DoubleCourse> = {}): DoubleCourse {
  const root = { id: 1, parent_folder_id: null, hidden: false, locked: false, lock_at: null, unlock_at: null };
  return {
    id,
    workflow_state: 'available',
    end_at: null,
    restrict_enrollments_to_course_dates: false,
    folders: [root],
    files: [],
    enrollments: [],
    modules: [],
    ...more,
  };
}

/** An active enrolment in section 1. */
export function doubleEnrollment(
  user_id: number,
  type: DoubleEnrollment['type'],
  more: Partial<DoubleEnrollment> = {},
): DoubleEnrollment {
  return {
    user_id,
    type,
    enrollment_state: 'active',
    course_section_id: 1,
    limit_privileges_to_course_section: false,
    ...more,
  };
}

interface Answer {
  status: number;
  body: unknown;
  link?: string;
}

/** Starts the double on free loopback ports: Canvas itself, and the host that its downloads are redirected to. */
export async function startCanvasDouble(): Promise<CanvasDouble> {
  const canvas = await listen();
  const files = await listen();
  const double: CanvasDouble = {
    baseUrl: `http://127.0.0.1:${canvas.port}`,
    token: '1234~TokenOfTheTests',
    courses: [],
    viewer: 'teacher',
    points: 600,
    throttled: { times: 0, as: 'status 429' },
    instead: () => false,
    requests: [],
    maxConcurrent: 0,
    stop: async () => {
      for (const { server } of [canvas, files]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
  let atOnce = 0;
  canvas.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    atOnce += 1;
    double.maxConcurrent = Math.max(double.maxConcurrent, atOnce);
    response.on('close', () => (atOnce -= 1));
    double.requests.push({
      host: 'canvas',
      path: request.url ?? '',
      authorization: request.headers.authorization ?? null,
    });
    if (!double.instead(request, response)) answer(double, `http://127.0.0.1:${files.port}`, request, response);
  });
  files.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    double.requests.push({
      host: 'files',
      path: request.url ?? '',
      authorization: request.headers.authorization ?? null,
    });
    const [, id, key] = /^\/stored\/(\d+)\?key=(\w+)$/.exec(request.url ?? '') ?? [];
    const file = fileOf(double, Number(id));
    // A token that reaches this host has leaked.
    if (file === null || request.headers.authorization !== undefined || key !== secretOf(file))
      response.writeHead(400).end();
    else response.writeHead(200, { 'content-length': file.content.length }).end(file.content);
  });
  return double;
}

async function listen(): Promise<{ server: Server; port: number }> {
  // A kept-alive connection must not end under the client's next request, even on a busy machine.
  const server = createServer({ keepAliveTimeout: 600_000 }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { server, port: address.port };
}

/** The verifier with which a file can be read without a login: its `uuid`. */
function secretOf(file: DoubleFile): string {
  return createHash('sha256').update(`uuid of ${file.id}`).digest('hex').slice(0, 40);
}

function fileOf(double: CanvasDouble, id: number): DoubleFile | null {
  return double.courses.flatMap((course) => course.files).find((file) => file.id === id) ?? null;
}

function answer(double: CanvasDouble, fileHost: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '', double.baseUrl);
  if (url.pathname.startsWith('/files/')) {
    download(double, fileHost, url, response);
    return;
  }
  const isThrottled = double.throttled.times > 0;
  if (isThrottled) double.throttled.times -= 1;
  const answer = isThrottled
    ? throttle(double)
    : request.headers.authorization !== `Bearer ${double.token}`
      ? { status: 401, body: { errors: [{ message: 'Invalid access token.' }] } }
      : route(double, url);
  const withTexts = /json\+canvas-string-ids/.test(request.headers.accept ?? '');
  const text = JSON.stringify(answer.body, (name, value: unknown) =>
    withTexts && typeof value === 'number' && /(^|_)id$/.test(name) ? String(value) : value,
  );
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-cost': '0.5',
    ...(double.points === null ? {} : { 'x-rate-limit-remaining': isThrottled ? '0.0' : double.points.toFixed(1) }),
    ...(answer.link === undefined ? {} : { link: answer.link }),
  });
  response.end(isThrottled && double.throttled.as === 'status 403' ? '403 Forbidden (Rate Limit Exceeded)' : text);
}

function throttle(double: CanvasDouble): Answer {
  return {
    status: double.throttled.as === 'status 429' ? 429 : 403,
    body: { status: 'throttled', errors: [{ message: 'Rate limit exceeded' }] },
  };
}

function download(double: CanvasDouble, fileHost: string, url: URL, response: ServerResponse): void {
  const file = fileOf(double, Number(/^\/files\/(\d+)\/download$/.exec(url.pathname)?.[1]));
  if (file === null || url.searchParams.get('verifier') !== secretOf(file)) response.writeHead(404).end();
  else response.writeHead(302, { location: `${fileHost}/stored/${file.id}?key=${secretOf(file)}` }).end();
}

function route(double: CanvasDouble, url: URL): Answer {
  const absent: Answer = { status: 404, body: { errors: [{ message: 'The specified resource does not exist.' }] } };
  const [, id, list, item = ''] =
    /^\/api\/v1\/courses(?:\/(\d+)\/(files|folders|enrollments|modules)((?:\/\w+)*))?$/.exec(url.pathname) ?? [];
  if (url.pathname === '/api/v1/courses')
    return page(
      url,
      visibleCourses(double, url).map((course) => courseJson(double, course, url)),
    );
  const course = double.courses.find((one) => String(one.id) === id && one.workflow_state !== 'deleted');
  if (course === undefined) return absent;
  if (isClosed(double, course))
    return {
      status: 403,
      body: { status: 'unauthorized', errors: [{ message: 'user not authorized to perform that action' }] },
    };
  if (list === 'folders')
    return page(
      url,
      course.folders.filter((folder) => double.viewer === 'teacher' || !folder.hidden),
    );
  if (list === 'enrollments') {
    const states = url.searchParams.getAll('state[]');
    const asked = states.length === 0 ? ['active', 'invited'] : states;
    return page(
      url,
      course.enrollments
        .filter((one) => asked.includes(one.enrollment_state))
        .map((one, at) => ({
          id: at + 1,
          course_id: course.id,
          user: { id: one.user_id, name: `Person ${one.user_id}` },
          ...one,
        })),
    );
  }
  if (list === 'modules') {
    const listed = listModules(course.modules, item, url.searchParams);
    return listed === null ? absent : page(url, listed);
  }
  const visible = course.files.filter((file) => double.viewer === 'teacher' || !file.hidden);
  if (item === '')
    return page(
      url,
      visible.map((file) => fileJson(double, file)),
    );
  const file = visible.find((one) => `/${one.id}` === item);
  return file === undefined ? absent : { status: 200, body: fileJson(double, file) };
}

function visibleCourses(double: CanvasDouble, url: URL): DoubleCourse[] {
  const states = url.searchParams.getAll('state[]');
  const asked = states.length === 0 ? ['available', 'unpublished'] : states;
  return double.courses.filter(
    (course) =>
      asked.includes(course.workflow_state) && (double.viewer === 'teacher' || course.workflow_state !== 'unpublished'),
  );
}

function isClosed(double: CanvasDouble, course: DoubleCourse): boolean {
  return double.viewer === 'student' && isConcluded(course);
}

function isConcluded(course: DoubleCourse): boolean {
  return (
    course.workflow_state === 'completed' ||
    (course.restrict_enrollments_to_course_dates && course.end_at !== null && Date.parse(course.end_at) < Date.now())
  );
}

function courseJson(double: CanvasDouble, course: DoubleCourse, url: URL): unknown {
  if (isClosed(double, course)) return { id: course.id, access_restricted_by_date: true };
  const { id, workflow_state, end_at, restrict_enrollments_to_course_dates } = course;
  const concluded = url.searchParams.getAll('include[]').includes('concluded')
    ? { concluded: isConcluded(course) }
    : {};
  return { id, name: `Course ${id}`, workflow_state, end_at, restrict_enrollments_to_course_dates, ...concluded };
}

function fileJson(double: CanvasDouble, file: DoubleFile): unknown {
  const { content, ...fields } = file;
  const now = Date.now();
  const isLocked =
    file.locked ||
    (file.unlock_at !== null && now < Date.parse(file.unlock_at)) ||
    (file.lock_at !== null && now >= Date.parse(file.lock_at));
  const locked_for_user = double.viewer === 'student' && isLocked;
  return {
    ...fields,
    uuid: secretOf(file),
    filename: encodeURIComponent(file.display_name).replaceAll('%20', '+'),
    'content-type': 'application/octet-stream',
    size: content.length,
    created_at: '2025-12-01T00:00:00Z',
    updated_at: file.modified_at,
    hidden_for_user: false,
    locked_for_user,
    url: locked_for_user ? '' : `${double.baseUrl}/files/${file.id}/download?download_frd=1&verifier=${secretOf(file)}`,
  };
}

/**
 * A page of 10 items by default, at most 100, with an opaque absolute link to the next page unless it is the last.
 */
function page(url: URL, items: readonly unknown[]): Answer {
  const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 10));
  const from = Number(
    Buffer.from((url.searchParams.get('page') ?? '').replace(/^bookmark:/, ''), 'base64url').toString() || 0,
  );
  const linkTo = (at: number, relation: string): string => {
    const link = new URL(url);
    link.searchParams.set('page', `bookmark:${Buffer.from(String(at)).toString('base64url')}`);
    return `<${link.href}>; rel="${relation}"`;
  };
  const links = [
    linkTo(from, 'current'),
    ...(from + size < items.length ? [linkTo(from + size, 'next')] : []),
    linkTo(0, 'first'),
  ];
  return { status: 200, body: items.slice(from, from + size), link: links.join(',') };
}
