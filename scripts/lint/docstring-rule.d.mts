import type { Rule } from 'eslint';

/** ESLint rule: what a file exports has a docstring. */
export const docstringRule: Rule.RuleModule;
