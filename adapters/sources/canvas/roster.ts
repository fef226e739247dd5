import type { CanvasApi } from './api.ts';
import { compareIds, idOf, textOf } from './fields.ts';

/** Who is enrolled in a course now, as principals. */
export interface Roster {
  /** For files that everybody in the course sees: the course, and each user. */
  everyone: string[];
  /** For hidden and locked files: teachers and designers. */
  staff: string[];
}

/** A course without anybody. */
export const nobody: Roster = { everyone: [], staff: [] };

/** Principals of one file (document 1, "Limits"). */
const mostPrincipals = 5000;

const staffTypes: ReadonlySet<string> = new Set(['TeacherEnrollment', 'DesignerEnrollment']);

/**
 * Reads the active enrolments of a course. An empty answer is read twice before it is believed, because it takes the
 * course from everybody. Where there are more people than a file can name, the course's own principal stands for all.
 * @throws SourceError
 */
export async function readRoster(api: CanvasApi, host: string, course: string, signal: AbortSignal): Promise<Roster> {
  let users = await readUsers(api, course, signal);
  if (users.everyone.size === 0) users = await readUsers(api, course, signal);
  if (users.everyone.size === 0) return nobody;
  const principals = (ids: ReadonlySet<string>): string[] => [...ids].map((id) => `canvas:${host}:user:${id}`).sort(compareIds);
  const all = `canvas:${host}:course:${course}`;
  return {
    everyone: users.everyone.size < mostPrincipals ? [all, ...principals(users.everyone)] : [all],
    staff: principals(users.staff).slice(0, mostPrincipals),
  };
}

async function readUsers(api: CanvasApi, course: string, signal: AbortSignal): Promise<{ everyone: Set<string>; staff: Set<string> }> {
  const users = { everyone: new Set<string>(), staff: new Set<string>() };
  for await (const page of api.list(`courses/${course}/enrollments?state%5B%5D=active&per_page=100`, signal)) {
    for (const enrollment of page) {
      if (enrollment['enrollment_state'] !== 'active') continue;
      const user = idOf(enrollment['user_id']);
      users.everyone.add(user);
      if (staffTypes.has(textOf(enrollment['type']))) users.staff.add(user);
    }
  }
  return users;
}
