import { CanvasRefusal, type CanvasApi } from './api.ts';
import { idOf, isRecord, optionalId, textOf, timeOf, type Fields } from './fields.ts';
import type { Person } from './roster.ts';

/** The files of a module, and who may open them. */
interface CourseModule {
  id: string;
  /** Ids of its items that are files. */
  files: Set<string>;
  /** Not published, or before `unlock_at`. */
  isClosed: boolean;
  /** Whether it depends on each student's progress: prerequisites or a sequence. */
  asksProgress: boolean;
  /** The assignees; null: everybody. */
  assigned: { sections: Set<string>; people: Set<string> } | null;
}

/** Who may open the files of a course according to its modules. */
export interface ModuleLocks {
  /** The people besides staff who may open a file; null: all, or the file is in no module. */
  sees(file: string): ((person: Person) => boolean) | null;
}

/** A course without modules. */
export const noLocks: ModuleLocks = { sees: () => null };

/**
 * Maximum number of students whose progress is requested one by one. In a larger course only staff see files that
 * depend on progress.
 */
const maxStudents = 1000;

/**
 * Reads the modules of a course that contain files (Canvas's Modules interface: `unlock_at`, `published`,
 * prerequisites, sequential progress, and overrides, which assign a module to sections and students). A file is locked
 * for somebody where every module with the file is, as in Canvas itself. Progress is requested for each student, and
 * only where a module depends on it.
 * @param files ids of the files in question: modules without one of them are ignored
 * @throws SourceError; CanvasRefusal where Canvas refuses the modules
 */
export async function readModuleLocks(
  api: CanvasApi,
  course: string,
  files: ReadonlySet<string>,
  people: readonly Person[],
  options: { now: number; signal: AbortSignal },
): Promise<ModuleLocks> {
  const { now, signal } = options;
  const modules: CourseModule[] = [];
  for await (const page of api.list(`courses/${course}/modules?include%5B%5D=items&per_page=100`, signal)) {
    for (const item of page) {
      const read = await readModule(api, course, item, { now, signal });
      for (const file of read.files) if (!files.has(file)) read.files.delete(file);
      if (read.files.size > 0) modules.push(read);
    }
  }
  if (modules.length === 0) return noLocks;
  for (const module of modules)
    if (!module.isClosed) module.assigned = await readAssigned(api, course, module.id, signal);
  const reached = await readProgress(api, course, modules, people, signal);
  return {
    sees: (file) => {
      const holding = modules.filter((module) => module.files.has(file));
      if (
        holding.length === 0 ||
        holding.some(({ isClosed, asksProgress, assigned }) => !isClosed && !asksProgress && assigned === null)
      )
        return null;
      return (person) =>
        holding.some(
          (module) =>
            !module.isClosed &&
            isAssigned(module, person) &&
            (!module.asksProgress || !person.isStudent || reached(person.id, module.id, file)),
        );
    },
  };
}

function isAssigned({ assigned }: CourseModule, { id, sections }: Person): boolean {
  return (
    assigned === null || assigned.people.has(id) || [...sections].some((section) => assigned.sections.has(section))
  );
}

async function readModule(
  api: CanvasApi,
  course: string,
  module: Fields,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<CourseModule> {
  const id = idOf(module['id']);
  const opens = timeOf(module['unlock_at']);
  const items = await itemsOf(api, course, module, '', signal);
  const before = module['prerequisite_module_ids'];
  return {
    id,
    files: new Set(items.flatMap((item) => fileOf(item) ?? [])),
    // An invalid time keeps the module locked.
    isClosed: module['published'] === false || (opens !== null && !(now >= opens)),
    asksProgress:
      (Array.isArray(before) && before.length > 0) ||
      (module['require_sequential_progress'] === true &&
        items.some((item) => isRecord(item['completion_requirement']))),
    assigned: null,
  };
}

/** The items of a module. Canvas omits them from the list where there are many. */
async function itemsOf(
  api: CanvasApi,
  course: string,
  module: Fields,
  query: string,
  signal: AbortSignal,
): Promise<Fields[]> {
  const included = module['items'];
  if (Array.isArray(included)) return included.filter(isRecord);
  const items: Fields[] = [];
  for await (const page of api.list(
    `courses/${course}/modules/${idOf(module['id'])}/items?per_page=100${query}`,
    signal,
  ))
    items.push(...page);
  return items;
}

function fileOf(item: Fields): string | null {
  return textOf(item['type']) === 'File' ? optionalId(item['content_id']) : null;
}

/**
 * The assignees of a module. An unknown kind of override, or a list that the token's user may not see, assigns it to
 * nobody. A version of Canvas without such lists assigns every module to everybody.
 */
async function readAssigned(
  api: CanvasApi,
  course: string,
  module: string,
  signal: AbortSignal,
): Promise<CourseModule['assigned']> {
  const assigned = { sections: new Set<string>(), people: new Set<string>() };
  let overrides = 0;
  try {
    for await (const page of api.list(
      `courses/${course}/modules/${module}/assignment_overrides?per_page=100`,
      signal,
    )) {
      overrides += page.length;
      for (const { course_section: section, students } of page) {
        if (isRecord(section)) assigned.sections.add(idOf(section['id']));
        for (const student of Array.isArray(students) ? students.filter(isRecord) : [])
          assigned.people.add(idOf(student['id']));
      }
    }
  } catch (error) {
    if (!(error instanceof CanvasRefusal) || error.reason === 'temporary') throw error;
    return error.reason === 'absent' ? null : assigned;
  }
  return overrides === 0 ? null : assigned;
}

/** The files that each student's progress has unlocked. */
async function readProgress(
  api: CanvasApi,
  course: string,
  modules: readonly CourseModule[],
  people: readonly Person[],
  signal: AbortSignal,
): Promise<(student: string, module: string, file: string) => boolean> {
  const progressModules = new Map(
    modules.filter(({ isClosed, asksProgress }) => asksProgress && !isClosed).map((module) => [module.id, module]),
  );
  const students = people.filter(
    (person) =>
      person.isStudent && !person.isStaff && [...progressModules.values()].some((module) => isAssigned(module, person)),
  );
  if (students.length > maxStudents) return () => false;
  /** Students by the module and file that they have unlocked. */
  const reached = new Map<string, Set<string>>();
  for (const { id: student } of progressModules.size === 0 ? [] : students) {
    try {
      for await (const page of api.list(
        `courses/${course}/modules?include%5B%5D=items&student_id=${student}&per_page=100`,
        signal,
      )) {
        for (const module of page) {
          const known = progressModules.get(idOf(module['id']));
          if (known === undefined) continue;
          for (const file of openFiles(module, await itemsOf(api, course, module, `&student_id=${student}`, signal))) {
            const key = `${known.id}/${file}`;
            reached.set(key, (reached.get(key) ?? new Set()).add(student));
          }
        }
      }
    } catch (error) {
      // The progress of this student is not readable: files that depend on it stay locked for them.
      if (!(error instanceof CanvasRefusal) || error.reason === 'temporary') throw error;
    }
  }
  return (student, module, file) => reached.get(`${module}/${file}`)?.has(student) === true;
}

/**
 * The files of a module that a student may open: all of an unlocked module; in a sequential one those up to the first
 * incomplete item.
 */
function openFiles(module: Fields, items: readonly Fields[]): string[] {
  const state = textOf(module['state']);
  if (state !== 'unlocked' && state !== 'started' && state !== 'completed') return [];
  if (state === 'completed' || module['require_sequential_progress'] !== true)
    return items.flatMap((item) => fileOf(item) ?? []);
  const inOrder = [...items].sort((a, b) => Number(a['position']) - Number(b['position']));
  const next = inOrder.findIndex(
    ({ completion_requirement: requirement }) => isRecord(requirement) && requirement['completed'] !== true,
  );
  return (next === -1 ? inOrder : inOrder.slice(0, next + 1)).flatMap((item) => fileOf(item) ?? []);
}
