import type { Archive } from '../archive.ts';
import type { Item, Manifest, Reference, Resource } from './manifest.ts';
import type { PartKind } from './part-kind.ts';
import { kindOfPart } from './part-kind.ts';
import { referenceFinder } from './references.ts';

/** A file of a package to read. */
export interface PlannedPart {
  /** Its path in the archive. */
  path: string;
  kind: PartKind;
  /** Title of the item that launches it, or null. */
  title: string | null;
  /** Title for a part without its own: of the item or organization that lists it. */
  listedUnder: string | null;
  /** Titles of the course and modules that begin with it, outermost first. */
  begins: readonly string[];
}

/** The files of a package to read, in order. */
export interface ReadingPlan {
  parts: PlannedPart[];
  /** Slide titles from items: `player.html?slide=3`. */
  slideTitles: ReadonlyMap<number, string>;
  /** Number of items without a target in the package. */
  dangling: number;
}

/** Orders paths with numbers by value: slide2 before slide10. */
const pathOrder = new Intl.Collator('en', { numeric: true });

/** An item with its resource, and the enclosing titles that no earlier step has. */
interface Step {
  item: Item;
  resource: Resource;
  begins: readonly string[];
}

/** The items of all organizations in order, with their resources; and the number of items without a target. */
function stepsOf(manifest: Manifest): { steps: Step[]; dangling: number } {
  const steps: Step[] = [];
  let dangling = 0;
  const entered = new Set<Manifest>();
  const elsewhere = new Map<string, Resource>();
  /** Enclosing titles that no step has yet. */
  const pendingTitles: string[] = [];
  const around = (title: string, walkInside: () => void): void => {
    const outside = pendingTitles.length;
    if (title !== '') pendingTitles.push(title);
    walkInside();
    pendingTitles.length = Math.min(pendingTitles.length, outside);
  };
  const collect = ({ resources, manifests }: Manifest): void => {
    for (const resource of resources)
      if (!elsewhere.has(resource.identifier)) elsewhere.set(resource.identifier, resource);
    manifests.forEach(collect);
  };
  collect(manifest);
  const enter = (scope: Manifest): void => {
    if (entered.has(scope)) return;
    entered.add(scope);
    const own = new Map(scope.resources.map((resource) => [resource.identifier, resource]));
    const inner = new Map(scope.manifests.map((one) => [one.identifier, one]));
    const walk = (item: Item): void => {
      if (item.resource !== null) {
        const within = own.has(item.resource) ? undefined : inner.get(item.resource);
        const resource = own.get(item.resource) ?? elsewhere.get(item.resource);
        if (within !== undefined) enter(within);
        else if (resource !== undefined) steps.push({ item, resource, begins: pendingTitles.splice(0) });
        else dangling++;
      }
      if (item.items.length > 0) around(item.resource === null ? item.title : '', () => item.items.forEach(walk));
    };
    for (const organization of scope.organizations) around(organization.title, () => organization.items.forEach(walk));
    // Sub-manifests that no item names follow their parent's items.
    scope.manifests.forEach(enter);
  };
  enter(manifest);
  return { steps, dangling };
}

function allResources({ resources, manifests }: Manifest): Resource[] {
  return [...resources, ...manifests.flatMap(allResources)];
}

/** The slide number in the query or fragment of an item's address. */
function slideOfAddress(address: string): number | null {
  const from = address.search(/[?&#]/);
  if (from < 0) return null;
  const query = address.slice(from);
  const number = /(?:slide|page|screen)[=_-]?(\d{1,5})/i.exec(query) ?? /#(\d{1,5})$/.exec(query);
  return number === null ? null : Number(number[1]);
}

/** Longest part of an address's query that is looked at before an item's own parameters. */
const maxQueryLength = 2000;

/** Finds the slide number of items. What only depends on the resource is computed once for it. */
function slideFinder(): (resource: Resource, parameters: string) => number | null {
  const known = new Map<Resource, { slide: number | null; query: string }>();
  return (resource, parameters) => {
    const facts = known.get(resource) ?? addressFacts(resource.launch?.href ?? '');
    known.set(resource, facts);
    return parameters === '' ? facts.slide : slideOfAddress(`${facts.query}${parameters}`);
  };
}

function addressFacts(address: string): { slide: number | null; query: string } {
  const from = address.search(/[?&#]/);
  return { slide: slideOfAddress(address), query: from < 0 ? '' : address.slice(from, from + maxQueryLength) };
}

/**
 * Plans the reading of a package: first the items' resources, each with its files and dependencies; then resources that
 * no item names; last all other readable files in path order. `folder` is the manifest's folder with a trailing slash,
 * or empty.
 */
export function planReading(archive: Archive, folder: string, manifest: Manifest): ReadingPlan {
  const cached = new Map<string, string | null>();
  const finder = referenceFinder(archive, folder);
  const find = (reference: Reference): string | null => {
    const key = JSON.stringify([reference.bases, reference.href]);
    const known = cached.get(key);
    if (known !== undefined) return known;
    const found = finder(reference);
    cached.set(key, found);
    return found;
  };
  const { steps, dangling } = stepsOf(manifest);
  const withFiles = new Map<Resource, boolean>();
  /**
   * Whether the package has any file of a resource. Cached, because many items may share a resource with many files.
   */
  const hasFiles = (resource: Resource): boolean => {
    const known = withFiles.get(resource) ?? resource.files.some((file) => find(file) !== null);
    withFiles.set(resource, known);
    return known;
  };
  const paths = new Map<Resource, string | null>();
  /** The file that a resource begins with. Cached, because many items may share a resource with a long address. */
  const launchPathOf = (resource: Resource): string | null => {
    const known = paths.get(resource);
    if (known !== undefined) return known;
    const path = resource.launch === null ? null : find(resource.launch);
    paths.set(resource, path);
    return path;
  };
  const slideOf = slideFinder();
  const launched = new Map<string, string | null>();
  const slideTitles = new Map<number, string>();
  let lost = dangling;
  for (const { item, resource } of steps) {
    const path = launchPathOf(resource);
    if (path === null && !hasFiles(resource)) lost++;
    if (path === null) continue;
    if ((launched.get(path) ?? null) === null) launched.set(path, item.title === '' ? null : item.title);
    if (item.title === '') continue;
    const slide = slideOf(resource, item.parameters);
    if (slide !== null && !slideTitles.has(slide)) slideTitles.set(slide, item.title);
  }
  const parts = new Map<string, PlannedPart>();
  /** Titles that begin with the next part. A module whose first page is missing begins with the next one. */
  const begins: string[] = [];
  const add = (path: string | null, listedUnder: string | null): void => {
    if (path === null || parts.has(path)) return;
    const kind = kindOfPart(path);
    if (kind !== null)
      parts.set(path, { path, kind, title: launched.get(path) ?? null, listedUnder, begins: begins.splice(0) });
  };
  const byIdentifier = new Map(
    allResources(manifest)
      .toReversed()
      .map((resource) => [resource.identifier, resource]),
  );
  const queued = new Set<Resource>();
  /** Adds a resource and then its dependencies, which may be circular. */
  const addResource = (first: Resource, title: string | null): void => {
    add(launchPathOf(first), title);
    const queue = queued.has(first) ? [] : [first];
    queued.add(first);
    for (const resource of queue) {
      for (const reference of [resource.launch, ...resource.files]) {
        const path = reference === null ? null : find(reference);
        // Files that another item launches are added there.
        if (path !== null && !launched.has(path)) add(path, title);
      }
      for (const identifier of resource.dependencies) {
        const needed = byIdentifier.get(identifier);
        if (needed === undefined || queued.has(needed)) continue;
        queued.add(needed);
        queue.push(needed);
      }
    }
  };
  for (const { item, resource, begins: titles } of steps) {
    for (const title of titles) begins.push(title);
    addResource(resource, item.title === '' ? null : item.title);
  }
  const course = manifest.organizations[0]?.title;
  const listedUnder = course === undefined || course === '' ? null : course;
  for (const resource of allResources(manifest)) addResource(resource, listedUnder);
  for (const path of archive.names().toSorted(pathOrder.compare)) add(path, listedUnder);
  const planned = [...parts.values()];
  const [first] = planned;
  if (first !== undefined && listedUnder !== null && !planned.some((part) => part.begins.includes(listedUnder)))
    planned[0] = { ...first, begins: [listedUnder, ...first.begins] };
  return { parts: planned, slideTitles, dangling: lost };
}
