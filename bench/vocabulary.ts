import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'node_modules');

/** Pseudorandom numbers in [0, 1), the same in every run (mulberry32, public domain, by T. Ettinger). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** English words, the most frequent first, from the READMEs of the installed packages. */
export function englishWords(): string[] {
  const counts = new Map<string, number>();
  for (const name of readdirSync(folder).toSorted()) {
    let text: string;
    try {
      text = readFileSync(join(folder, name, 'README.md'), 'utf8');
    } catch {
      // Not every package has this file.
      continue;
    }
    for (const [word] of text.slice(0, 50_000).matchAll(/(?<=\s)[a-z]{3,12}(?=[\s.,])/g))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= 2)
    .toSorted(([, a], [, b]) => b - a)
    .map(([word]) => word);
}

/** Draws a word by Zipf's law: the nth about 1/n as often as the first. */
export function drawWord(words: readonly string[], random: () => number): string {
  return words[Math.min(words.length - 1, Math.floor(words.length ** random()) - 1)] ?? 'word';
}

/** A text of the given number of words, in sentences. */
export function drawText(words: readonly string[], count: number, random: () => number): string {
  return Array.from({ length: count }, (_, index) => drawWord(words, random) + (index % 14 === 13 ? '.' : '')).join(
    ' ',
  );
}
