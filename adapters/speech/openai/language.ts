import { primarySubtag } from '../../../models/analyser/languages.ts';

let tags: ReadonlyMap<string, string> | null = null;

/** English names of the languages that have a code of two letters (ISO 639-1), in lower case. */
function tagsByName(): ReadonlyMap<string, string> {
  if (tags !== null) return tags;
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode('a'.charCodeAt(0) + index));
  const found = new Map<string, string>();
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = names.of(code)?.toLowerCase();
    if (name !== undefined && !found.has(name)) found.set(name, primarySubtag(code));
  }
  tags = found;
  return found;
}

/** The primary subtag of what a server calls a language: `english`, `en` or `en-US`; null where it names none. */
export function languageTag(named: unknown): string | null {
  if (typeof named !== 'string' || named.length > 64) return null;
  const byName = tagsByName().get(named.trim().toLowerCase());
  if (byName !== undefined) return byName;
  const tag = primarySubtag(named);
  return tag === 'und' ? null : tag;
}
