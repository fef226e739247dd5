/** An item of a module: a file where it has one, else a page. */
export interface DoubleModuleItem {
  file: number | null;
  /** Whether it is to be viewed before what follows, where the module's order counts. */
  isRequired: boolean;
}

/** A module of a course, with the fields of Canvas's documentation that matter. */
export interface DoubleModule {
  id: number;
  published: boolean;
  unlock_at: string | null;
  require_sequential_progress: boolean;
  prerequisite_module_ids: number[];
  items: DoubleModuleItem[];
  /** Canvas leaves the items out of a list of modules where they are many. */
  isLarge: boolean;
  /** Its assignees; everybody if empty. */
  overrides: object[];
  /**
   * How far students are: positions of the items that are done, from 1 on. One that is not named has it locked where it
   * has prerequisites.
   */
  progress: { [student: string]: { state: 'locked' | 'unlocked' | 'started' | 'completed'; done: number[] } };
}

/** A published module that is open to everybody, with files. */
export function doubleModule(id: number, files: readonly number[], more: Partial<DoubleModule> = {}): DoubleModule {
  return {
    id,
    published: true,
    unlock_at: null,
    require_sequential_progress: false,
    prerequisite_module_ids: [],
    isLarge: false,
    overrides: [],
    progress: {},
    items: files.map((file) => ({ file, isRequired: false })),
    ...more,
  };
}

/** The lists below `courses/<id>/modules`; null if there is none. @param rest the path after `modules` */
export function listModules(modules: readonly DoubleModule[], rest: string, query: URLSearchParams): unknown[] | null {
  const student = query.get('student_id');
  if (rest === '')
    return modules.map((module, at) =>
      moduleJson(module, at + 1, student, query.getAll('include[]').includes('items') && !module.isLarge),
    );
  const [, id, list] = /^\/(\d+)\/(items|assignment_overrides)$/.exec(rest) ?? [];
  const module = modules.find((one) => String(one.id) === id);
  if (module === undefined) return null;
  return list === 'items' ? itemsJson(module, student) : module.overrides;
}

function moduleJson(module: DoubleModule, position: number, student: string | null, withItems: boolean): object {
  const { id, published, unlock_at, require_sequential_progress, prerequisite_module_ids } = module;
  return {
    id,
    name: `Module ${id}`,
    position,
    published,
    unlock_at,
    require_sequential_progress,
    prerequisite_module_ids,
    items_count: module.items.length,
    ...(withItems ? { items: itemsJson(module, student) } : {}),
    ...(student === null ? {} : { state: stateOf(module, student) }),
  };
}

function stateOf({ progress, prerequisite_module_ids }: DoubleModule, student: string): string {
  return progress[student]?.state ?? (prerequisite_module_ids.length > 0 ? 'locked' : 'unlocked');
}

function itemsJson({ id, items, progress }: DoubleModule, student: string | null): object[] {
  return items.map(({ file, isRequired }, at) => ({
    id: id * 1000 + at,
    module_id: id,
    position: at + 1,
    type: file === null ? 'Page' : 'File',
    ...(file === null ? {} : { content_id: file }),
    ...(isRequired
      ? {
          completion_requirement: {
            type: 'must_view',
            ...(student === null ? {} : { completed: progress[student]?.done.includes(at + 1) ?? false }),
          },
        }
      : {}),
  }));
}
