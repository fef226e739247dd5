/**
 * Options of Node for the program: with one thread less than there are cores for collecting garbage and compiling.
 */
export const engineOptions: readonly string[];
