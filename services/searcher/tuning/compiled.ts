import { setImmediate as turn } from 'node:timers/promises';
import { analyse, analyseQuery } from '../../../models/analyser/analyser.ts';
import { Memo } from '../../../models/analyser/memo.ts';
import { longestTurn as longestAhead, requestsFirst } from '../../../models/requests-first.ts';
import type { SynonymRule } from '../../../models/tuning.ts';

/** Milliseconds of compiling after which other requests have their turn. */
const longestTurn = 5;
/** Expansions of one generation whose words are remembered, of all organizations together; two are held, at about 300 bytes each. */
const rememberedExpansions = 30_000;
/** Dictionaries whose expansions wait to be analysed ahead, at most: more would drive each other's words out. */
const mostAhead = 3;

/** An expansion as it is looked for: for each of its telling words the stems that it may stand as in the index. */
export type ExpansionWords = readonly (readonly string[])[];

/** A rule of the dictionary, ready for searches in some languages. */
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

/** Analysing a word takes some ten microseconds: what is in a dictionary outlives the changes of its other rules here. */
const analysed = new Memo<ExpansionWords>(rememberedExpansions);

function tellingWords(expansion: string, languages: readonly string[], key: string): ExpansionWords {
  const known = analysed.get(key);
  if (known !== undefined) return known;
  const words = analyseQuery(expansion, languages);
  const telling = words.filter(({ common }) => !common);
  const found = (telling.length > 0 ? telling : words).map(({ stems }) => stems);
  analysed.set(key, found);
  return found;
}

function compiledRule(rule: SynonymRule, languages: readonly string[]): CompiledRule {
  const prefix = `${languages.join(' ')}\n`;
  return {
    expansions: () => rule.expansions.map((expansion) => tellingWords(expansion, languages, prefix + expansion)).filter((words) => words.length > 0),
  };
}

/** What is analysed ahead, and how many dictionaries wait for it. */
let ahead: Promise<void> = Promise.resolve();
let waiting = 0;

/**
 * An organization's dictionary for some languages: a tree of the stems of its terms, which a query walks once from each
 * of its words. So a search costs the same whether there are five rules or five hundred.
 */
export class Dictionary {
  readonly #languages: readonly string[];
  readonly #roots = new Map<string, Node>();
  readonly #rules: CompiledRule[] = [];

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
    this.#rules.push(compiled);
    for (const language of this.#languages) {
      const positions = positionsOf(rule.term, language);
      if (positions.length === 0) continue;
      // A word may have a second stem, for those who type it without its accents.
      this.#put(language, positions.map(({ stems }) => stems[0] ?? ''), compiled);
      if (positions.some(({ stems }) => stems.length > 1)) this.#put(language, positions.map(({ stems }) => stems.at(-1) ?? ''), compiled);
    }
  }

  /**
   * Analyses the expansions of all rules in the background, one dictionary after the other: the first searches after a change
   * need not. What is not done yet is done by the search that meets it.
   */
  analyseAhead(): void {
    if (waiting >= mostAhead) return;
    waiting += 1;
    // What cannot be analysed fails the search that meets it, which tells of it.
    ahead = ahead.then(() => this.#analyseAll()).catch(() => undefined).finally(() => {
      waiting -= 1;
    });
  }

  async #analyseAll(): Promise<void> {
    let began = -Infinity;
    for (const rule of this.#rules) {
      if (performance.now() - began > longestAhead) {
        await requestsFirst.turn();
        began = performance.now();
      }
      rule.expansions();
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
