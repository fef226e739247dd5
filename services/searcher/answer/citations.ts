import type { Written } from './offered.ts';

/** Links and images of Markdown. They are removed, because a model's text may have been manipulated. */
const links = /!?\[([^\][\n]{0,400})\]\((?:[^()\s]|\([^()\s]*\)){0,2000}(?:\s+"[^"\n]{0,400}")?\)/gu;
/**
 * Citations in the forms that models write: [1], [1, 2], [1-3], [^1], [passage 1], 【1†source】; including preceding
 * blanks.
 */
const citations =
  /(\s*)[[【［]\s*(?:passages?\s*|\^)?(\d{1,60}(?:\s*[,;–-]\s*(?:passages?\s*|\^)?\d{1,60})*)\s*(?:†[^\]】］\n]{0,100})?[\]】］]/giu;

function numbersOf(list: string, offered: number): number[] {
  const numbers: number[] = [];
  for (const part of list.split(/[,;]/u)) {
    const [from = 0, to = from] = part.split(/[–-]/u).map((text) => Number(text.replace(/\D/gu, '')));
    for (let number = Math.max(1, from); number <= Math.min(to, offered); number += 1)
      if (!numbers.includes(number)) numbers.push(number);
  }
  return numbers;
}

/**
 * Normalizes the citations of a model's text: each becomes `[number]`, and numbers of passages that were not offered
 * are removed. Links and images are replaced by their text.
 * @param offered number of passages offered to the model
 */
export function checkCitations(text: string, offered: number): Written {
  const cited = new Set<number>();
  const plain = text.replace(links, (_, words: string) =>
    /^\^?\d+$/.test(words.trim()) ? `[${words.trim()}]` : words,
  );
  const checked = plain.replace(citations, (_, blanks: string, list: string) => {
    const kept = numbersOf(list, offered);
    for (const number of kept) cited.add(number);
    return kept.length === 0 ? '' : `${blanks === '' ? '' : ' '}${kept.map((number) => `[${number}]`).join('')}`;
  });
  return { text: checked.replace(/[ \t]+(?=[.,;:!?。！？]|$)/gmu, '').trim(), cited };
}
