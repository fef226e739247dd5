/** What is marked in a text that is not ours to change: passages, and the words in them that a query matched. */
interface Marks {
  passage: readonly Range[];
  words: readonly Range[];
}

function highlightOf(name: string): Highlight {
  const known = CSS.highlights.get(name);
  if (known !== undefined) return known;
  const made = new Highlight();
  CSS.highlights.set(name, made);
  return made;
}

/**
 * Marks ranges by the browser's own highlights (`::highlight()` in viewer.css), which leave the document as it is.
 * Browsers without them show the text unmarked.
 * @returns takes the marks away
 */
export function markRanges({ passage, words }: Marks): () => void {
  if (!('highlights' in CSS)) return () => undefined;
  const [passages, marked] = [highlightOf('passage'), highlightOf('words')];
  marked.priority = 1;
  for (const range of passage) passages.add(range);
  for (const range of words) marked.add(range);
  return () => {
    for (const range of passage) passages.delete(range);
    for (const range of words) marked.delete(range);
  };
}
