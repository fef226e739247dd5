import type { CanvasApi } from './api.ts';
import { compareIds, idOf, optionalId, textOf } from './fields.ts';

/** A person with all active enrolments in a course. */
export interface Person {
  id: string;
  /** Teaches or designs the course, and so sees hidden and locked files. */
  isStaff: boolean;
  isStudent: boolean;
  /** Ids of the sections of the course. */
  sections: ReadonlySet<string>;
}

/** The active enrolments of a course. */
export interface Roster {
  people: readonly Person[];
  /** The principals of a file that these people may see. @param sees null: everybody in the course */
  principalsOf(sees: ((person: Person) => boolean) | null): string[];
}

/** Whether a person sees hidden and locked files. */
export const isStaff = (person: Person): boolean => person.isStaff;

/** Maximum number of principals of a file (document 1, "Limits"). */
const maxPrincipals = 5000;

const staffTypes: ReadonlySet<string> = new Set(['TeacherEnrollment', 'DesignerEnrollment']);

/** A roster without people. */
export const emptyRoster: Roster = { people: [], principalsOf: () => [] };

/**
 * Reads the active enrolments of a course. An empty answer is only believed after a second request, because it hides
 * the course from everybody. With more people than a file may have principals, the course's own principal represents
 * all of them; of a subset, only the allowed number is named.
 * @throws SourceError
 */
export async function readRoster(api: CanvasApi, host: string, course: string, signal: AbortSignal): Promise<Roster> {
  let people = await readPeople(api, course, signal);
  if (people.length === 0) people = await readPeople(api, course, signal);
  if (people.length === 0) return emptyRoster;
  const principals = (of: readonly Person[]): string[] => of.map(({ id }) => `canvas:${host}:user:${id}`);
  const all = `canvas:${host}:course:${course}`;
  const some = (sees: (person: Person) => boolean): string[] => principals(people.filter(sees)).slice(0, maxPrincipals);
  const everyone = people.length < maxPrincipals ? [all, ...principals(people)] : [all];
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
