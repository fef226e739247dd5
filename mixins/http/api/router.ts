import type { Method, RateClass } from './route.ts';

/** What the router and the sending of responses read of a route. */
export interface RouteHead {
  method: Method;
  /** Whole path with `{name}` for parameters. */
  path: string;
  /** The rate limit that its requests count for; left out if there is none. */
  rate?: RateClass;
}

/** What a path and method lead to. */
export type Match<R> =
  | { kind: 'route'; route: R; params: { [name: string]: string } }
  /** The path has routes of other methods. */
  | { kind: 'method'; allow: string[] }
  | { kind: 'dashboard' }
  | { kind: 'none' };

/** Finds the route of a method and path. */
export type FindRoute<R> = (method: string, path: string) => Match<R>;

interface Branch<R> {
  literals: Map<string, Branch<R>>;
  parameter: { name: string; branch: Branch<R> } | null;
  routes: Map<string, R>;
}

const noParams: { [name: string]: string } = {};

function newBranch<R>(): Branch<R> {
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
    // Malformed escapes stay as they were sent: their percent signs are in no literal and no id.
    return segment;
  }
}

/**
 * Compiles routes to a tree of path segments, so that the cost of a match depends on the length of the path and not on
 * the number of routes. Literal segments take precedence over parameters. Paths are compared exactly: another letter
 * case, a trailing slash or a double slash makes another path.
 * @param dashboardOnly paths that are reserved for the dashboard, with everything below them
 * @throws Error if two routes have the same method and path
 */
export function compileRoutes<R extends RouteHead>(
  routes: readonly R[],
  dashboardOnly: readonly string[] = [],
): FindRoute<R> {
  const root = newBranch<R>();
  for (const route of routes) {
    let branch = root;
    for (const segment of route.path.slice(1).split('/')) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name === undefined) {
        const next = branch.literals.get(segment) ?? newBranch<R>();
        branch.literals.set(segment, next);
        branch = next;
      } else {
        branch.parameter ??= { name, branch: newBranch() };
        if (branch.parameter.name !== name) throw new Error(`${route.path}: the parameter has another name elsewhere`);
        branch = branch.parameter.branch;
      }
    }
    if (branch.routes.has(route.method)) throw new Error(`two routes are ${route.method} ${route.path}`);
    branch.routes.set(route.method, route);
  }
  return (method, path) => {
    const segments = segmentsOf(path);
    return (segments && find(root, method, segments)) ?? unmatched(segments, dashboardOnly);
  };
}

/** The match of a path; null if no route has it. */
function find<R>(root: Branch<R>, method: string, segments: readonly string[]): Match<R> | null {
  let branch = root;
  let params = noParams;
  for (const segment of segments) {
    const literal = branch.literals.get(segment);
    if (literal !== undefined) branch = literal;
    else if (branch.parameter !== null && segment !== '') {
      params = { ...params, [branch.parameter.name]: segment };
      branch = branch.parameter.branch;
    } else return null;
  }
  if (branch.routes.size === 0) return null;
  // HEAD is GET without the body of its response (RFC 9110, 9.3.2).
  const route = branch.routes.get(method === 'HEAD' ? 'GET' : method);
  return route === undefined ? { kind: 'method', allow: allowed(branch) } : { kind: 'route', route, params };
}

function allowed<R>(branch: Branch<R>): string[] {
  return [...branch.routes.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function unmatched(segments: readonly string[] | null, dashboardOnly: readonly string[]): Match<never> {
  const path = segments === null ? '' : `/${segments.join('/')}`;
  const isReserved = dashboardOnly.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  return { kind: isReserved ? 'dashboard' : 'none' };
}
