/**
 * The part that is used of https://github.com/fergiemcdowall/stopword, which ships no types: word lists by ISO 639-3
 * code.
 */
declare module 'stopword' {
  const lists: { readonly [code: string]: unknown };
  export default lists;
}
