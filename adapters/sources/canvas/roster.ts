import type { CanvasApi } from './api.ts';
import { compareIds, idOf, optionalId, textOf } from './fields.ts';

/** Somebody who is enrolled in a course now, by all enrolments together. */
export interface Person {
  id: string;
  /** Teaches or designs the course: sees what is kept from others. */
  isStaff: boolean;
  isStudent: boolean;
  /** Ids of the sections of the course. */
  sections: ReadonlySet<string>;
}

/** Who is enrolled in a course now. */
export interface Roster {
  people: readonly Person[];
  /** The principals of a file that some of these people see. @param sees null: everybody in the course */
  principalsOf(sees: ((person: Person) => boolean) | null): string[];
}

/** Whether somebody sees hidden and locked files. */
export const isStaff = (person: Person): boolean => person.isStaff;

/** Principals of one file (document 1, "Limits"). */
const mostPrincipals = 5000;

const staffTypes: ReadonlySet<string> = new Set(['TeacherEnrollment', 'DesignerEnrollment']);

/** A course without anybody. */
export const nobody: Roster = { people: [], principalsOf: () => [] };

/**
 * Reads the active enrolments of a course. An empty answer is read twice before it is believed, because it takes the
 * course from everybody. Where there are more people than a file can name, the course's own principal stands for all of them, and
 * of a part of them as many as it can are named.
 * @throws SourceError
 */
export async function readRoster(api: CanvasApi, host: string, course: string, signal: AbortSignal): Promise<Roster> {
  let people = await readPeople(api, course, signal);
  if (people.length === 0) people = await readPeople(api, course, signal);
  if (people.length === 0) return nobody;
  const principals = (of: readonly Person[]): string[] => of.map(({ id }) => `canvas:${host}:user:${id}`);
  const all = `canvas:${host}:course:${course}`;
  const some = (sees: (person: Person) => boolean): string[] => principals(people.filter(sees)).slice(0, mostPrincipals);
  const everyone = people.length < mostPrincipals ? [all, ...principals(people)] : [all];
  const staff = some(isStaff);
  return { people, principalsOf: (sees) => (sees === null ? everyone : sees === isStaff ? staff : some(sees)) };
}

/** In the order of their ids' bytes. */
async function readPeople(api: CanvasApi, course: string, signal: AbortSignal): Promise<Person[]> {
  const people = new Map<string, Person & { sections: Set<string> }>();
  for await (const page of api.list(`courses/${course}/enrollments?state%5B%5D=active&per_page=100`, signal)) {
    for (const enrollment of page) {
      if (enrollment['enrollment_state'] !== 'active') continue;
      const id = idOf(enrollment['user_id']);
      const person = people.get(id) ?? { id, isStaff: false, isStudent: false, sections: new Set<string>() };
      const type = textOf(enrollment['type']);
      if (staffTypes.has(type)) person.isStaff = true;
      if (type === 'StudentEnrollment') person.isStudent = true;
      const section = optionalId(enrollment['course_section_id']);
      if (section !== null) person.sections.add(section);
      people.set(id, person);
    }
  }
  return [...people.values()].sort((a, b) => compareIds(a.id, b.id));
}
