import type { Method, Route } from './route.ts';
import { dashboardOnly } from './routes/paths.ts';

/** What a path and method lead to. */
export type Match =
  | { kind: 'route'; route: Route; params: { [name: string]: string } }
  /** The path is there with other methods. */
  | { kind: 'method'; allow: string[] }
  | { kind: 'dashboard' }
  | { kind: 'none' };

interface Branch {
  literals: Map<string, Branch>;
  parameter: { name: string; branch: Branch } | null;
  routes: Map<Method, Route>;
}

const nothing: Match = { kind: 'none' };
const noParams: { [name: string]: string } = {};

function newBranch(): Branch {
  return { literals: new Map(), parameter: null, routes: new Map() };
}

/** The segments of a path. A trailing or double slash makes an empty one. */
function segmentsOf(path: string): string[] | null {
  if (!path.startsWith('/')) return null;
  const segments = path.slice(1).split('/');
  return path.includes('%') ? segments.map(unescaped) : segments;
}

function unescaped(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Broken escapes stay as they were sent: their percent signs are in no literal, and no id is made of them.
    return segment;
  }
}

/**
 * Compiles the table to a tree of path segments, so that finding a route costs as much as its path is long,
 * however many rows there are. A literal segment goes before a parameter. Paths are compared exactly: another
 * letter case, a trailing slash or a double slash is another path.
 */
export function compileRoutes(table: readonly Route[]): (method: string, path: string) => Match {
  const root = newBranch();
  for (const route of table) {
    let branch = root;
    for (const segment of route.path.slice(1).split('/')) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) {
        const next = branch.literals.get(segment) ?? newBranch();
        branch.literals.set(segment, next);
        branch = next;
      } else {
        branch.parameter ??= { name, branch: newBranch() };
        if (branch.parameter.name !== name) throw new Error(`${route.path}: one place in a path has one name`);
        branch = branch.parameter.branch;
      }
    }
    if (branch.routes.has(route.method)) throw new Error(`${route.method} ${route.path} stands twice in the table`);
    branch.routes.set(route.method, route);
  }
  return (method, path) => find(root, method, path);
}

function find(root: Branch, method: string, path: string): Match {
  const segments = segmentsOf(path);
  if (segments === null) return nothing;
  let branch = root;
  let params = noParams;
  for (const segment of segments) {
    const literal = branch.literals.get(segment);
    if (literal !== undefined) branch = literal;
    else if (branch.parameter !== null && segment !== '') {
      params = { ...params, [branch.parameter.name]: segment };
      branch = branch.parameter.branch;
    } else return unmatched(segments);
  }
  if (branch.routes.size === 0) return unmatched(segments);
  // HEAD is GET without the body of its answer (RFC 9110, 9.3.2).
  const route = branch.routes.get(method === 'HEAD' ? 'GET' : (method as Method));
  return route === undefined ? { kind: 'method', allow: allowed(branch) } : { kind: 'route', route, params };
}

function allowed(branch: Branch): string[] {
  const methods: string[] = [...branch.routes.keys()];
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function unmatched(segments: readonly string[]): Match {
  const path = `/${segments.join('/')}`;
  return dashboardOnly.some((prefix) => path === prefix || path.startsWith(`${prefix}/`)) ? { kind: 'dashboard' } : nothing;
}
