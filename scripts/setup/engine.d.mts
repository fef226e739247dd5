/** What Node is told for the program: with as many threads for collecting garbage and compiling as there are cores beside one. */
export const engineOptions: readonly string[];
