import type { Archive } from './archive.ts';
import { unreadable } from '../models/extraction-failure.ts';
import { walkWholeXml } from './xml.ts';

/** A relationship of an Office part (ECMA-376 part 2, 9). */
export interface Relationship {
  id: string;
  /**
   * Last segment of the relationship's type, which is the same in strict and transitional files: `worksheet`, `header`,
   * ...
   */
  type: string;
  /** Name of the target part; null for an address outside the file. */
  target: string | null;
}

/** Resolves a reference in a part to a part name. */
function resolvePart(from: string, target: string): string {
  const decoded = target.replaceAll('\\', '/').replace(/[#?].*$/, '');
  const path = decoded.startsWith('/') ? [] : from.split('/').slice(0, -1);
  for (const segment of decoded.split('/')) {
    if (segment === '..') path.pop();
    else if (segment !== '' && segment !== '.') path.push(segment);
  }
  return path.join('/');
}

/** Relationships of a part, or of the package for an empty name; empty if the file has none. */
export async function relationshipsOf(archive: Archive, part: string): Promise<Relationship[]> {
  const slash = part.lastIndexOf('/');
  const name = archive.find(`${part.slice(0, slash + 1)}_rels/${part.slice(slash + 1)}.rels`);
  if (name === null) return [];
  const found: Relationship[] = [];
  await walkWholeXml(archive.read(name), {
    open: (element, { Id, Type, Target, TargetMode }) => {
      if (element !== 'Relationship' || Target === undefined) return;
      const target =
        TargetMode === 'External'
          ? null
          : (archive.find(resolvePart(part, Target)) ?? archive.find(resolvePart(part, decodePercent(Target))));
      found.push({ id: Id ?? '', type: (Type ?? '').split('/').at(-1) ?? '', target });
    },
    close: () => undefined,
  });
  return found;
}

/** Relationships by id; the first one wins. */
export function firstById(relationships: readonly Relationship[]): ReadonlyMap<string, Relationship> {
  return new Map(relationships.toReversed().map((relation) => [relation.id, relation]));
}

/** The distinct target parts of a relationship type, in order. */
export function targetsIn(relationships: readonly Relationship[], type: string): string[] {
  return [
    ...new Set(
      relationships.flatMap((relation) =>
        relation.type === type && relation.target !== null ? [relation.target] : [],
      ),
    ),
  ];
}

function decodePercent(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    // Not percent-encoded: use the name as it is.
    return target;
  }
}

/**
 * The main part of a package: by its relationships, else by its content types, else by its usual name.
 * @throws ExtractionFailure `document_unreadable` if there is none.
 */
export async function mainPart(archive: Archive, usualName: string, contentType: RegExp): Promise<string> {
  const related = (await relationshipsOf(archive, '')).find(
    ({ type, target }) => type === 'officeDocument' && target !== null,
  )?.target;
  if (related !== undefined && related !== null) return related;
  const types = archive.find('[Content_Types].xml');
  let named: string | null = null;
  if (types !== null) {
    await walkWholeXml(archive.read(types), {
      open: (element, { PartName, ContentType }) => {
        if (element === 'Override' && PartName !== undefined && contentType.test(ContentType ?? ''))
          named ??= archive.find(resolvePart('', PartName));
      },
      close: () => undefined,
    });
  }
  const name = named ?? archive.find(usualName);
  if (name === null) throw unreadable(`the package has no ${usualName}`);
  return name;
}
