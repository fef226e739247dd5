/** The part that is used of https://github.com/mazko/jssnowball, which ships no types. */
declare module 'snowball-stemmers' {
  export interface Stemmer {
    /** The stem of one lower-case word. */
    stem(word: string): string;
  }
  const snowball: {
    newStemmer(algorithm: string): Stemmer;
    algorithms(): string[];
  };
  export default snowball;
}
