import { Memo } from '../../models/analyser/memo.ts';
import type { TextWord } from './highlight.ts';

type Analyse = (text: string, language: string) => readonly TextWord[];

/** Texts of one generation; two are held, at about 50 bytes for each of their words. */
const capacity = 400;
/** UTF-16 code units of a text that is worth remembering, and of one that is too long for it. */
const remembered = { shortest: 200, longest: 4000 };

/**
 * The analyser with a bounded memory of texts: the passages that people find are shown again and again, and a memory of
 * their words is quicker than looking up each of them anew. The words are shared: nobody may change them.
 */
export function rememberingAnalyser(analyse: Analyse): Analyse {
  const known = new Memo<readonly TextWord[]>(capacity);
  return (text, language) => {
    if (text.length < remembered.shortest || text.length > remembered.longest) return analyse(text, language);
    const key = `${language} ${text}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const words = analyse(text, language);
    known.set(key, words);
    return words;
  };
}
