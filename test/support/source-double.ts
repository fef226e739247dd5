import {
  SourceError,
  type Source,
  type SourceEntry,
  type SourceGap,
  type SourcePage,
} from '../../adapters/sources/port.ts';

/** A source in memory. Tests put files into it. */
export interface SourceDouble extends Source {
  /** By external id. */
  files: Map<string, SourceEntry>;
  gaps: SourceGap[];
  pageSize: number;
  /** Runs before each page. Throw from it to simulate an unavailable source. */
  before: (cursor: string | null) => void;
  /** Pages listed so far. */
  pages: number;
}

/** A file of the double; its version is its content by default. */
export function sourceFile(externalId: string, content: string, fields: Partial<SourceEntry> = {}): SourceEntry {
  const filename = externalId.slice(externalId.lastIndexOf('/') + 1);
  return {
    externalId,
    filename,
    sourceUrl: `https://source.example/${encodeURIComponent(externalId)}`,
    sourceVersion: `"${content}"`,
    bytes: content.length,
    contentId: content,
    principals: null,
    ...fields,
  };
}

/** Sorts by UTF-8 bytes, as sources list. */
function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** A new source without files. */
export function sourceDouble(files: readonly SourceEntry[] = [], pageSize = 3): SourceDouble {
  const double: SourceDouble = {
    files: new Map(files.map((file) => [file.externalId, file])),
    gaps: [],
    pageSize,
    before: () => undefined,
    pages: 0,
    list: async (cursor, signal): Promise<SourcePage> => {
      await Promise.resolve();
      signal.throwIfAborted();
      double.before(cursor);
      double.pages += 1;
      const ids = [...double.files.keys()].filter((id) => cursor === null || byBytes(id, cursor) > 0).sort(byBytes);
      const listed = ids.slice(0, double.pageSize);
      const last = listed.at(-1);
      const next = ids.length > listed.length && last !== undefined ? last : null;
      const isHere = ({ prefix }: SourceGap): boolean =>
        (cursor === null || byBytes(prefix, cursor) > 0) && (next === null || byBytes(prefix, next) <= 0);
      return { entries: listed.flatMap((id) => double.files.get(id) ?? []), gaps: double.gaps.filter(isHere), next };
    },
    addressOf: () => Promise.reject(new SourceError('absent', 'the double has no addresses')),
    close: () => Promise.resolve(),
  };
  return double;
}
