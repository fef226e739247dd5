import type { Rule } from 'eslint';

/** Why a file of the project may not import another, or null where it may. Paths are from the project's folder. */
export function importFault(from: string, to: string): string | null;
/** ESLint rule that holds the import rules. */
export const importRule: Rule.RuleModule;
