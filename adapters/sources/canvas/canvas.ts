import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '../../../models/runtime.ts';
import type { CanvasConfig } from '../../../models/connector.ts';
import { baseAddress } from '../entries.ts';
import { SourceError, type ReadableAddress, type Source, type SourceClient, type SourcePage } from '../port.ts';
import { canvasApi, type CanvasApi, type Wait } from './api.ts';
import { readCourse, readCourses, type Course, type CourseContent } from './courses.ts';
import { textOf } from './fields.ts';
import { versionOf, type CanvasInstance } from './files.ts';

/** Number of files in a page. */
const pageFiles = 1000;

/** Options to open Canvas as a source. */
export interface CanvasSourceOptions {
  config: CanvasConfig;
  /** The access token. */
  token: string;
  client: SourceClient;
  runtime: Pick<Runtime, 'now'>;
  /** Whether rosters are read; entries have no principals without them. */
  withPrincipals: boolean;
  /** Waits between requests; by timers if omitted. */
  wait?: Wait;
}

/**
 * The files of the courses that a token's user sees in Canvas (its REST API), with the active enrolments as principals.
 * A page contains files of at most one course. The cursor is `<course>` or `<course>/<file>`: the last listed course or
 * file.
 * @throws SourceError `refused` for an invalid configuration, `credential` for a malformed token
 */
export function openCanvasSource(options: CanvasSourceOptions): Source {
  const { config, token, client, runtime, withPrincipals, wait = realWait } = options;
  const base = baseAddress(config.baseUrl);
  const instance: CanvasInstance = { base, host: new URL(base).host };
  if (!/^[\x21-\x7e]{1,4096}$/.test(token))
    throw new SourceError('credential', 'the credential is not an access token');
  const api = canvasApi({ base, token, client, wait });
  // The courses of the listing in progress, and the content of its current course.
  let courses: Course[] | null = null;
  let current: { course: string; content: CourseContent } | null = null;

  async function list(cursor: string | null, signal: AbortSignal): Promise<SourcePage> {
    const now = runtime.now();
    const after = parseCursor(cursor);
    if (after === null || courses === null) courses = await readCourses(api, now, signal);
    const passed = after === null ? '' : `${after.course}/`;
    const course = courses.find(({ key }) => key > passed || (key === passed && after?.file !== null));
    if (course === undefined) return { entries: [], gaps: [], next: null };
    const lastFile = after?.course === course.id ? after.file : null;
    if (lastFile === null || current?.course !== course.id)
      current = {
        course: course.id,
        content: await readCourse(api, instance, course, { now, withPrincipals, signal }),
      };
    const { files, gaps } = current.content;
    const rest = lastFile === null ? files : files.filter(({ id }) => id > lastFile);
    const page = rest.slice(0, pageFiles);
    const last = page.at(-1);
    const isLastOfCourse = last === undefined || rest.length <= pageFiles;
    const isLast = isLastOfCourse && course === courses.at(-1);
    if (isLastOfCourse) current = null;
    return {
      entries: page.map(({ entry }) => entry),
      gaps: lastFile === null ? gaps : [],
      next: isLast ? null : isLastOfCourse ? course.id : `${course.id}/${last.id}`,
    };
  }

  return {
    list,
    addressOf: ({ externalId, sourceVersion }, signal) => addressOf(api, instance, externalId, sourceVersion, signal),
    async close() {
      courses = null;
      current = null;
    },
  };
}

async function realWait(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function parseCursor(cursor: string | null): { course: string; file: string | null } | null {
  if (cursor === null) return null;
  const [, course, file] = /^([\d~]+)(?:\/([\d~]+))?$/.exec(cursor) ?? [];
  if (course === undefined) throw new SourceError('refused', 'the cursor does not belong to this source');
  return { course, file: file ?? null };
}

/** Reads a file again, checks its version, and answers its download address. */
async function addressOf(
  api: CanvasApi,
  { base, host }: CanvasInstance,
  externalId: string,
  sourceVersion: string,
  signal: AbortSignal,
): Promise<ReadableAddress> {
  const prefix = `canvas:${host}/`;
  const [, course, id] = externalId.startsWith(prefix)
    ? (/^([\d~]+)\/([\d~]+)$/.exec(externalId.slice(prefix.length)) ?? [])
    : [];
  if (course === undefined || id === undefined) throw new SourceError('refused', 'the file is not one of this Canvas');
  const file = await api.read(`courses/${course}/files/${id}`, signal);
  if (versionOf(file) !== sourceVersion) throw new SourceError('changed', 'the file has another version now');
  const address = textOf(file['url']);
  if (address === '')
    throw new SourceError('credential', "Canvas does not give the file to the token's user: it is locked");
  const url = URL.canParse(address) ? new URL(address) : null;
  const isPlain =
    url !== null &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && base.startsWith('http:')));
  if (!isPlain) throw new SourceError('refused', 'Canvas gave no address that can be read');
  return { address: url.href, redirects: true, verified: true };
}
