import type { Archive } from '../archive.ts';
import type { Item, Manifest, Reference, Resource } from './manifest.ts';
import type { PartKind } from './part-kind.ts';
import { kindOfPart } from './part-kind.ts';
import { referenceFinder } from './references.ts';

/** A file of a package that is to be read. */
export interface PlannedPart {
  /** Its path in the archive. */
  path: string;
  kind: PartKind;
  /** Title of the item that launches it; null if none does. */
  title: string | null;
  /** Title of what lists it, for a part that has no title of its own: an item, or the organization. */
  listedUnder: string | null;
  /** Titles of the course and of the modules that begin with it, outermost first. */
  begins: readonly string[];
}

/** Which files of a package are read, in which order. */
export interface ReadingPlan {
  parts: PlannedPart[];
  /** Titles that items give to slides of a player: `player.html?slide=3`. */
  slideTitles: ReadonlyMap<number, string>;
  /** Items that lead to nothing in the package. */
  astray: number;
}

/** Names in the order of their paths, numbers in them by their value: slide2 before slide10. */
const pathOrder = new Intl.Collator('en', { numeric: true });

/** An item with what it launches, and the titles around it that no step before it is under. */
interface Step {
  item: Item;
  resource: Resource;
  begins: readonly string[];
}

/** The items of all organizations in their order, with the resources that they name; and how many lead nowhere. */
function stepsOf(manifest: Manifest): { steps: Step[]; astray: number } {
  const steps: Step[] = [];
  let astray = 0;
  const entered = new Set<Manifest>();
  const elsewhere = new Map<string, Resource>();
  /** Titles around the item that is walked, which no step has yet. */
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
        else astray++;
      }
      if (item.items.length > 0) around(item.resource === null ? item.title : '', () => item.items.forEach(walk));
    };
    for (const organization of scope.organizations) around(organization.title, () => organization.items.forEach(walk));
    // Sub-manifests that no item names come after what their parent shows.
    scope.manifests.forEach(enter);
  };
  enter(manifest);
  return { steps, astray };
}

function allResources({ resources, manifests }: Manifest): Resource[] {
  return [...resources, ...manifests.flatMap(allResources)];
}

/** The slide that an item's address names in its query or fragment. */
function slideOfAddress(address: string): number | null {
  const from = address.search(/[?&#]/);
  if (from < 0) return null;
  const query = address.slice(from);
  const number = /(?:slide|page|screen)[=_-]?(\d{1,5})/i.exec(query) ?? /#(\d{1,5})$/.exec(query);
  return number === null ? null : Number(number[1]);
}

/**
 * Plans the reading of a package: first what its items launch, each with the further files of its resource and of the
 * resources that it depends on; then resources that no item names; last all else that can be read, in path order.
 * `folder` is where the manifest lies, with a slash at its end, or empty.
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
  const { steps, astray } = stepsOf(manifest);
  const withFiles = new Map<Resource, boolean>();
  /** Whether the package has any file of a resource. Many items may name one resource of many files. */
  const hasFiles = (resource: Resource): boolean => {
    const known = withFiles.get(resource) ?? resource.files.some((file) => find(file) !== null);
    withFiles.set(resource, known);
    return known;
  };
  const launched = new Map<string, string | null>();
  const slideTitles = new Map<number, string>();
  let lost = astray;
  for (const { item, resource } of steps) {
    const path = resource.launch === null ? null : find(resource.launch);
    if (path === null && !hasFiles(resource)) lost++;
    if (path === null) continue;
    if ((launched.get(path) ?? null) === null) launched.set(path, item.title === '' ? null : item.title);
    if (item.title === '') continue;
    const slide = slideOfAddress(`${resource.launch?.href ?? ''}${item.parameters}`);
    if (slide !== null && !slideTitles.has(slide)) slideTitles.set(slide, item.title);
  }
  const parts = new Map<string, PlannedPart>();
  /** What begins with the next part. A module whose first page is missing begins with the one after it. */
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
  /** A resource, and after it those that it depends on. Several may depend on one another. */
  const addResource = (first: Resource, title: string | null): void => {
    if (first.launch !== null) add(find(first.launch), title);
    const queue = queued.has(first) ? [] : [first];
    queued.add(first);
    for (const resource of queue) {
      for (const reference of [resource.launch, ...resource.files]) {
        const path = reference === null ? null : find(reference);
        // What another item launches has its place there.
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
  return { parts: planned, slideTitles, astray: lost };
}
