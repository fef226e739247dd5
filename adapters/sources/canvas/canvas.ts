import { setTimeout as sleep } from 'node:timers/promises';
import type { Ambient } from '../../../models/ambient.ts';
import type { CanvasConfig } from '../../../models/connector.ts';
import { baseAddress } from '../entries.ts';
import { SourceError, type ReadableAddress, type Source, type SourceClient, type SourcePage } from '../port.ts';
import { canvasApi, type CanvasApi, type Wait } from './api.ts';
import { readCourse, readCourses, type Course, type CourseContent } from './courses.ts';
import { textOf } from './fields.ts';
import { versionOf, type CanvasPlace } from './files.ts';

/** Files of one page. */
const pageFiles = 1000;

/** What a Canvas as a source is made from. */
export interface CanvasSourceOptions {
  config: CanvasConfig;
  /** The access token. */
  token: string;
  client: SourceClient;
  ambient: Pick<Ambient, 'now'>;
  /** Whether rosters are read; entries have no principals where they are not. */
  withPrincipals: boolean;
  /** How it waits where Canvas asks for patience; by the clock where left out. */
  wait?: Wait;
}

/**
 * The files of the courses that a token's user sees in Canvas (its REST interface), with the active enrolments as
 * principals. A page holds files of one course at most; a page's mark is `<course>` or `<course>/<file>`, after which it goes on.
 * @throws SourceError `refused` where the configuration names no usable place, `credential` where the token is none
 */
export function openCanvasSource(options: CanvasSourceOptions): Source {
  const { config, token, client, ambient, withPrincipals, wait = byTheClock } = options;
  const base = baseAddress(config.baseUrl);
  const place: CanvasPlace = { base, host: new URL(base).host };
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) throw new SourceError('credential', 'the credential is no access token');
  const api = canvasApi({ base, token, client, wait });
  // Of a listing that goes on: its courses, and the course that it is in.
  let courses: Course[] | null = null;
  let current: { course: string; content: CourseContent } | null = null;

  async function list(cursor: string | null, signal: AbortSignal): Promise<SourcePage> {
    const now = ambient.now();
    const after = markOf(cursor);
    if (after === null || courses === null) courses = await readCourses(api, now, signal);
    const passed = after === null ? '' : `${after.course}/`;
    const course = courses.find(({ key }) => key > passed || (key === passed && after?.file !== null));
    if (course === undefined) return { entries: [], gaps: [], next: null };
    const begun = after?.course === course.id ? after.file : null;
    if (begun === null || current?.course !== course.id) current = { course: course.id, content: await readCourse(api, place, course, { now, withPrincipals, signal }) };
    const { files, gaps } = current.content;
    const rest = begun === null ? files : files.filter(({ id }) => id > begun);
    const page = rest.slice(0, pageFiles);
    const last = page.at(-1);
    const isLastOfCourse = last === undefined || rest.length <= pageFiles;
    const isLast = isLastOfCourse && course === courses.at(-1);
    if (isLastOfCourse) current = null;
    return { entries: page.map(({ entry }) => entry), gaps: begun === null ? gaps : [], next: isLast ? null : isLastOfCourse ? course.id : `${course.id}/${last.id}` };
  }

  return {
    list,
    addressOf: ({ externalId, sourceVersion }, signal) => addressOf(api, place, externalId, sourceVersion, signal),
    async close() {
      courses = null;
      current = null;
    },
  };
}

async function byTheClock(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function markOf(cursor: string | null): { course: string; file: string | null } | null {
  if (cursor === null) return null;
  const [, course, file] = /^([\d~]+)(?:\/([\d~]+))?$/.exec(cursor) ?? [];
  if (course === undefined) throw new SourceError('refused', 'the mark of the page is none of this source');
  return { course, file: file ?? null };
}

/** Reads a file once more, checks its version, and answers the address with which it can be downloaded. */
async function addressOf(api: CanvasApi, { base, host }: CanvasPlace, externalId: string, sourceVersion: string, signal: AbortSignal): Promise<ReadableAddress> {
  const prefix = `canvas:${host}/`;
  const [, course, id] = externalId.startsWith(prefix) ? (/^([\d~]+)\/([\d~]+)$/.exec(externalId.slice(prefix.length)) ?? []) : [];
  if (course === undefined || id === undefined) throw new SourceError('refused', 'the file is not one of this Canvas');
  const file = await api.read(`courses/${course}/files/${id}`, signal);
  if (versionOf(file) !== sourceVersion) throw new SourceError('changed', 'the file has another version by now');
  const address = textOf(file['url']);
  if (address === '') throw new SourceError('credential', "Canvas does not give the file to the token's user: it is locked");
  const url = URL.canParse(address) ? new URL(address) : null;
  const isPlain = url !== null && url.username === '' && url.password === '' && (url.protocol === 'https:' || (url.protocol === 'http:' && base.startsWith('http:')));
  if (!isPlain) throw new SourceError('refused', 'Canvas gave no address that can be read');
  return { address: url.href, redirects: true, verified: true };
}
