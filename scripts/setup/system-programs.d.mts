/** A program of the system, and what the product lacks without it. */
export interface SystemProgram {
  program: string;
  /** Debian packages that bring it. */
  packages: string[];
  /** What does not work without it. */
  purpose: string;
  /** Settings with which it is not needed. */
  settings: string[];
}
/** All that are used. */
export const systemPrograms: SystemProgram[];
/** Those that are not in the search path and that no setting makes unneeded. */
export function missingPrograms(environment: Record<string, string | undefined>): SystemProgram[];
/** Installs the missing ones if it may, and otherwise prints the command. */
export function ensureSystemPrograms(node: string): void;
