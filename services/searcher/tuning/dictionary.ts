import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { analyse, analyseQuery } from '../../../models/analyser/analyser.ts';
import type { SynonymRule } from '../../../models/tuning.ts';

/** Milliseconds of compiling between two yields to the event loop. */
const maxTurnMs = 5;

/** The search terms of an expansion: for each of its significant words its possible stems in the index. */
export type ExpansionWords = readonly (readonly string[])[];

/** A rule of the dictionary, for the languages of a library. */
export interface CompiledRule {
  /** Analysed when a query first needs it: most rules of a large dictionary are rarely used. */
  expansions(): readonly ExpansionWords[];
}

/** A node in the tree of the terms' stems, with the rules whose terms end here. */
interface Node {
  next: Map<string, Node>;
  rules: CompiledRule[];
}

/** A term of the dictionary that occurs in a text. */
export interface FoundRule {
  rule: CompiledRule;
  /** The words of the occurrence, as UTF-16 offsets into the text. */
  words: readonly { start: number; end: number; stems: readonly string[] }[];
}

/** A word of a text with all of its stems. */
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

function significantWords(expansion: string, languages: readonly string[]): ExpansionWords {
  const words = analyseQuery(expansion, languages);
  const significant = words.filter(({ common }) => !common);
  return (significant.length > 0 ? significant : words).map(({ stems }) => stems);
}

function compileRule(rule: SynonymRule, languages: readonly string[]): CompiledRule {
  let analysed: readonly ExpansionWords[] | null = null;
  return {
    expansions: () =>
      (analysed ??= rule.expansions
        .map((expansion) => significantWords(expansion, languages))
        .filter((words) => words.length > 0)),
  };
}

/**
 * An organization's synonyms for some languages: a tree of the stems of its terms, which is walked once from each word
 * of a query. So a search costs the same with five rules as with five hundred.
 */
export class Dictionary {
  readonly #languages: readonly string[];
  readonly #roots = new Map<string, Node>();

  private constructor(languages: readonly string[]) {
    this.#languages = languages;
  }

  /** Compiles rules for the languages of a library, a few milliseconds at a time. */
  static async compile(rules: readonly SynonymRule[], languages: readonly string[]): Promise<Dictionary> {
    const dictionary = new Dictionary(languages.length === 0 ? ['und'] : languages);
    let began = performance.now();
    for (const rule of rules) {
      dictionary.#add(rule);
      if (performance.now() - began < maxTurnMs) continue;
      await yieldToEventLoop();
      began = performance.now();
    }
    return dictionary;
  }

  #add(rule: SynonymRule): void {
    const compiled = compileRule(rule, this.#languages);
    for (const language of this.#languages) {
      const positions = positionsOf(rule.term, language);
      if (positions.length === 0) continue;
      // A word may have a second stem, for spellings without accents.
      this.#insert(
        language,
        positions.map(({ stems }) => stems[0] ?? ''),
        compiled,
      );
      if (positions.some(({ stems }) => stems.length > 1))
        this.#insert(
          language,
          positions.map(({ stems }) => stems.at(-1) ?? ''),
          compiled,
        );
    }
  }

  #insert(language: string, stems: readonly string[], rule: CompiledRule): void {
    let node = this.#roots.get(language) ?? { next: new Map<string, Node>(), rules: [] };
    this.#roots.set(language, node);
    for (const stem of stems) {
      const next = node.next.get(stem) ?? { next: new Map<string, Node>(), rules: [] };
      node.next.set(stem, next);
      node = next;
    }
    node.rules.push(rule);
  }

  /** The rules whose terms occur in a text, word for word, inflected or not; a rule once for each occurrence. */
  find(text: string): FoundRule[] {
    const found: FoundRule[] = [];
    for (const [language, root] of this.#roots) {
      const positions = positionsOf(text, language);
      for (const from of positions.keys()) walk(positions, from, root, [], found);
    }
    return found;
  }
}

function walk(
  positions: readonly Position[],
  at: number,
  node: Node,
  words: readonly Position[],
  found: FoundRule[],
): void {
  for (const rule of node.rules) found.push({ rule, words });
  const position = positions[at];
  if (position === undefined) return;
  for (const stem of position.stems) {
    const next = node.next.get(stem);
    if (next !== undefined) walk(positions, at + 1, next, [...words, position], found);
  }
}
