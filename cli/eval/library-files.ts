import type { AssetView } from '../../models/api.ts';
import type { Connection } from '../connection.ts';

/** The files of the library that an expectation names. */
export interface NamedFiles {
  /** Ids of the files that can be found. */
  assetIds: string[];
  /** Why none can be found; null if one can. */
  why: string | null;
}

const pageSize = 100;
/** Files with one name that are looked through, at most. */
const maxListed = 5000;
/** The longest fragment of a filename that the API accepts. */
const longestFragment = 200;

/** Whether a name is that of a file: its filename, its external id, or the end of the path in its external id. */
function isNamed({ filename, externalId }: AssetView, name: string): boolean {
  return filename === name || externalId === name || externalId.endsWith(`/${name.replace(/^\.?\//, '')}`);
}

/** The filename at the end of a path or address. */
function filenameOf(name: string): string {
  const last = name.split('/').pop() ?? name;
  if (!/^https?:/i.test(name)) return last;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Looks up the files of a library by their names, each name once. */
export function fileFinder(connection: Connection): (name: string) => Promise<NamedFiles> {
  const known = new Map<string, Promise<NamedFiles>>();
  return (name) => {
    const found = known.get(name) ?? findFiles(connection, name);
    known.set(name, found);
    return found;
  };
}

async function findFiles(connection: Connection, name: string): Promise<NamedFiles> {
  const fragment = encodeURIComponent([...filenameOf(name)].slice(0, longestFragment).join(''));
  const named: AssetView[] = [];
  for (let offset = 0; offset < maxListed; offset += pageSize) {
    const body = await connection.ask('GET', `/activity?limit=${pageSize}&offset=${offset}&q=${fragment}`);
    const items = body['items'] as AssetView[];
    named.push(...items.filter((item) => isNamed(item, name)));
    if (items.length < pageSize) break;
  }
  const findable = named.filter((asset) => isIndexed(asset) && isPresent(asset) && isOpen(asset));
  if (findable.length > 0) return { assetIds: findable.slice(0, pageSize).map(({ assetId }) => assetId), why: null };
  return { assetIds: [], why: reasonFor(named) };
}

const isIndexed = ({ activeRevision }: AssetView): boolean => activeRevision !== null;
const isPresent = ({ sourceMissingSince }: AssetView): boolean => sourceMissingSince === null;
const isOpen = ({ aclMode }: AssetView): boolean => aclMode === 'open';

function reasonFor(named: readonly AssetView[]): string {
  if (named.length === 0) return 'the library has no file of this name';
  if (!named.some(isIndexed))
    return `it is not indexed (${named[0]?.latestJob.errorCode ?? named[0]?.latestJob.state ?? ''})`;
  if (!named.some((asset) => isIndexed(asset) && isPresent(asset))) return 'its source is missing';
  return 'it is restricted to some readers; open files alone are searched';
}
