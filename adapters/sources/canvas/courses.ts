import { isRegistrable, gapOf } from '../entries.ts';
import { SourceError, type SourceEntry, type SourceGap } from '../port.ts';
import { CanvasRefusal, type CanvasApi } from './api.ts';
import { compareIds, idOf, textOf, timeOf, type Fields } from './fields.ts';
import { courseFile, type CanvasInstance, type CourseFile } from './files.ts';
import { noLocks, readModuleLocks, type ModuleLocks } from './modules.ts';
import { isStaff, emptyRoster, readRoster, type Roster } from './roster.ts';
import { Folders } from './visibility.ts';

/** A course that the token's user sees. */
export interface Course {
  id: string;
  /** `<id>/`: sorts courses in the order of their files' external ids. */
  key: string;
  /**
   * `ended`: no enrolment is active. `unpublished`: not visible to students yet. `closed`: its dates exclude the
   * token's user.
   */
  state: 'open' | 'unpublished' | 'ended' | 'closed';
}

/** The files of a course, in ascending order of the external ids' bytes. */
export interface CourseContent {
  files: CourseFile[];
  gaps: SourceGap[];
}

/** Maximum number of files of a course: they are in memory together. */
const maxFiles = 50_000;

/** Reads the courses of the token's user, in ascending order of `<id>/`. @throws SourceError */
export async function readCourses(api: CanvasApi, now: number, signal: AbortSignal): Promise<Course[]> {
  const states = ['available', 'unpublished', 'completed'].map((state) => `state%5B%5D=${state}`).join('&');
  const courses = new Map<string, Course>();
  for await (const page of api.list(`courses?${states}&include%5B%5D=concluded&per_page=100`, signal)) {
    for (const item of page) {
      const id = idOf(item['id']);
      courses.set(id, { id, key: `${id}/`, state: stateOf(item, now) });
    }
  }
  return [...courses.values()].sort((a, b) => compareIds(a.key, b.key));
}

function stateOf(course: Fields, now: number): Course['state'] {
  if (course['access_restricted_by_date'] === true) return 'closed';
  const end = timeOf(course['end_at']);
  const isOver = course['restrict_enrollments_to_course_dates'] === true && end !== null && !(now < end);
  if (course['concluded'] === true || textOf(course['workflow_state']) === 'completed' || isOver) return 'ended';
  return textOf(course['workflow_state']) === 'unpublished' ? 'unpublished' : 'open';
}

/**
 * Reads the files of a course and who may see each. Where Canvas refuses the course's files, folders, roster or
 * modules, the course is a gap: its files in the library stay unchanged.
 * @throws SourceError
 */
export async function readCourse(
  api: CanvasApi,
  instance: CanvasInstance,
  course: Course,
  options: { now: number; withPrincipals: boolean; signal: AbortSignal },
): Promise<CourseContent> {
  const { now, withPrincipals, signal } = options;
  const prefix = `canvas:${instance.host}/${course.id}/`;
  if (course.state === 'closed') return { files: [], gaps: [{ prefix, errorCode: 'source_access_denied' }] };
  try {
    const folders = new Folders(now);
    for await (const page of api.list(`courses/${course.id}/folders?per_page=100`, signal)) folders.add(page);
    const files = new Map<string, CourseFile>();
    for await (const page of api.list(`courses/${course.id}/files?sort=created_at&order=asc&per_page=100`, signal)) {
      for (const item of page) {
        const file = courseFile(instance, course.id, item, folders, now);
        if (file !== null) files.set(file.id, file);
      }
      if (files.size > maxFiles) throw new SourceError('refused', `a course of Canvas has more than ${maxFiles} files`);
    }
    if (!withPrincipals) return sorted([...files.values()], ({ entry }) => entry);
    const roster = files.size === 0 ? emptyRoster : await rosterOf(api, instance, course, signal);
    const locks = await locksOf(api, course, files, roster, options);
    return sorted([...files.values()], (file) => {
      const sees = locks.sees(file.id);
      const isForStaff = file.isKeptBack || course.state === 'unpublished';
      return {
        ...file.entry,
        principals: roster.principalsOf(
          isForStaff ? isStaff : sees === null ? null : (person) => person.isStaff || sees(person),
        ),
      };
    });
  } catch (error) {
    if (!(error instanceof CanvasRefusal)) throw error;
    return {
      files: [],
      gaps: [{ prefix, errorCode: error.reason === 'temporary' ? 'source_unreachable' : 'source_access_denied' }],
    };
  }
}

async function rosterOf(
  api: CanvasApi,
  instance: CanvasInstance,
  course: Course,
  signal: AbortSignal,
): Promise<Roster> {
  return course.state === 'ended' ? emptyRoster : readRoster(api, instance.host, course.id, signal);
}

/** Reads the module locks where somebody other than staff may see a file. */
async function locksOf(
  api: CanvasApi,
  course: Course,
  files: ReadonlyMap<string, CourseFile>,
  { people }: Roster,
  options: { now: number; signal: AbortSignal },
): Promise<ModuleLocks> {
  const shown = new Set([...files.values()].flatMap(({ id, isKeptBack }) => (isKeptBack ? [] : id)));
  if (course.state !== 'open' || shown.size === 0 || people.every(isStaff)) return noLocks;
  try {
    return await readModuleLocks(api, course.id, shown, people, options);
  } catch (error) {
    // A course with disabled modules answers 404.
    if (error instanceof CanvasRefusal && error.reason === 'absent') return noLocks;
    throw error;
  }
}

function sorted(files: CourseFile[], complete: (file: CourseFile) => SourceEntry): CourseContent {
  const content: CourseContent = { files: [], gaps: [] };
  for (const file of files.sort((a, b) => compareIds(a.id, b.id))) {
    const entry = complete(file);
    if (isRegistrable(entry)) content.files.push({ ...file, entry });
    else content.gaps.push(gapOf(entry.externalId));
  }
  return content;
}
