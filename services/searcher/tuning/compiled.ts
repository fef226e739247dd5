import { setImmediate as turn } from 'node:timers/promises';
import { analyse, analyseQuery } from '../../../models/analyser/analyser.ts';
import type { SynonymRule } from '../../../models/tuning.ts';

/** Milliseconds of compiling after which other requests have their turn. */
const longestTurn = 5;

/** An expansion as it is looked for: for each of its telling words the stems that it may stand as in the index. */
export type ExpansionWords = readonly (readonly string[])[];

/** A rule of the dictionary, ready for searches in some languages. Its expansions are analysed when it is first met. */
export interface CompiledRule {
  expansions(): readonly ExpansionWords[];
}

/** A place in the tree of the terms' stems: where a term ends, its rules stand. */
interface Node {
  next: Map<string, Node>;
  rules: CompiledRule[];
}

/** A term of the dictionary that stands in a text. */
export interface FoundRule {
  rule: CompiledRule;
  /** The words that it stands as, as UTF-16 offsets into the text. */
  words: readonly { start: number; end: number; stems: readonly string[] }[];
}

/** A word of a text with all stems that it has there. */
interface Position {
  start: number;
  end: number;
  stems: string[];
}

function positionsOf(text: string, language: string): Position[] {
  const positions: Position[] = [];
  for (const { start, end, stem } of analyse(text, language)) {
    const last = positions.at(-1);
    if (last?.start === start && last.end === end) last.stems.push(stem);
    else positions.push({ start, end, stems: [stem] });
  }
  return positions;
}

function tellingWords(expansion: string, languages: readonly string[]): ExpansionWords {
  const words = analyseQuery(expansion, languages);
  const telling = words.filter(({ common }) => !common);
  return (telling.length > 0 ? telling : words).map(({ stems }) => stems);
}

function compiledRule(rule: SynonymRule, languages: readonly string[]): CompiledRule {
  let known: readonly ExpansionWords[] | null = null;
  return {
    expansions: () => (known ??= rule.expansions.map((expansion) => tellingWords(expansion, languages)).filter((words) => words.length > 0)),
  };
}

/**
 * An organization's dictionary for some languages: a tree of the stems of its terms, which a query walks once from each
 * of its words. So a search costs the same whether there are five rules or five hundred.
 */
export class Dictionary {
  readonly #languages: readonly string[];
  readonly #roots = new Map<string, Node>();

  private constructor(languages: readonly string[]) {
    this.#languages = languages;
  }

  /** Compiles rules for the languages of a library's passages, a few milliseconds at a time. */
  static async compile(rules: readonly SynonymRule[], languages: readonly string[]): Promise<Dictionary> {
    const dictionary = new Dictionary(languages.length === 0 ? ['und'] : languages);
    let began = performance.now();
    for (const rule of rules) {
      dictionary.#add(rule);
      if (performance.now() - began < longestTurn) continue;
      await turn();
      began = performance.now();
    }
    return dictionary;
  }

  #add(rule: SynonymRule): void {
    const compiled = compiledRule(rule, this.#languages);
    for (const language of this.#languages) {
      const positions = positionsOf(rule.term, language);
      if (positions.length === 0) continue;
      // A word may have a second stem, for those who type it without its accents.
      this.#put(language, positions.map(({ stems }) => stems[0] ?? ''), compiled);
      if (positions.some(({ stems }) => stems.length > 1)) this.#put(language, positions.map(({ stems }) => stems.at(-1) ?? ''), compiled);
    }
  }

  #put(language: string, stems: readonly string[], rule: CompiledRule): void {
    let node = this.#roots.get(language) ?? { next: new Map<string, Node>(), rules: [] };
    this.#roots.set(language, node);
    for (const stem of stems) {
      const next = node.next.get(stem) ?? { next: new Map<string, Node>(), rules: [] };
      node.next.set(stem, next);
      node = next;
    }
    node.rules.push(rule);
  }

  /** The rules whose terms stand in a text, word for word, inflected or not; a rule as often as its term stands there. */
  find(text: string): FoundRule[] {
    const found: FoundRule[] = [];
    for (const [language, root] of this.#roots) {
      const positions = positionsOf(text, language);
      for (const from of positions.keys()) walk(positions, from, root, [], found);
    }
    return found;
  }
}

function walk(positions: readonly Position[], at: number, node: Node, words: readonly Position[], found: FoundRule[]): void {
  for (const rule of node.rules) found.push({ rule, words });
  const position = positions[at];
  if (position === undefined) return;
  for (const stem of position.stems) {
    const next = node.next.get(stem);
    if (next !== undefined) walk(positions, at + 1, next, [...words, position], found);
  }
}
