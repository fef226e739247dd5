import { defineConfig, globalIgnores } from 'eslint/config';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { docstringRule } from './scripts/lint/docstring-rule.mjs';
import { importRule } from './scripts/lint/import-rules.mjs';

/** Methods that the service framework puts on Promise: they are no part of the language, and not everywhere there. */
const patchedPromise = ['delay', 'mapSeries', 'method'].map((property) => ({
  object: 'Promise',
  property,
  message: 'It is a patch of moleculer, not part of the language.',
}));

const forbiddenSyntax = [
  {
    selector: 'TSAsExpression > TSAsExpression[typeAnnotation.type="TSUnknownKeyword"]',
    message: 'A cast through unknown can lie: narrow the type with a check instead.',
  },
];

const tests = ['test/**', '**/testing/**', '**/test-server.ts', '**/*.test.ts', '**/*conformance*.ts'];

export default defineConfig(
  globalIgnores([
    'node_modules/',
    '.cache/',
    'data/',
    '**/*.d.mts',
    '**/*.d.ts',
    'web/dist*/',
    'packages/client/src/operations.ts',
  ]),
  {
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
    plugins: { ply: { rules: { imports: importRule, docstrings: docstringRule } } },
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'no-restricted-properties': ['error', ...patchedPromise],
      'no-restricted-syntax': ['error', ...forbiddenSyntax],
      eqeqeq: 'error',
      'no-empty': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'anywhere' }],
      'ply/imports': 'error',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    ignores: ['app/tracing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@opentelemetry/*'],
              message:
                'Steps are reported to mixins/tracing.ts: what traces are made with is loaded only where they are on.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowNullish: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // void expressions as arrow bodies and confirmations by ?? read well and hide nothing.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      // Strings are spread to walk their code points, which is what is meant here.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // Documents are plain objects with fields that come and go.
      '@typescript-eslint/no-dynamic-delete': 'off',
      // A parameter that ties two tables of one function together counts as unnecessary there.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // Our interfaces are made of closures: taking a function out of one loses nothing.
      '@typescript-eslint/unbound-method': 'off',
      // Functions of a port are async for their callers, also where one adapter has nothing to wait for.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    ignores: tests,
    rules: { 'ply/docstrings': 'error' },
  },
  {
    files: ['web/src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      // The router takes a redirect as a thrown value.
      '@typescript-eslint/only-throw-error': ['error', { allow: ['Redirect'] }],
    },
  },
  {
    // Tables: one row after the other, and nothing to understand between them.
    files: ['models/configuration/table.ts', 'services/accounts/export/contents.ts', 'formats/number-format.ts'],
    rules: { 'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: tests,
    ignores: ['**/*.{js,mjs}'],
    rules: {
      // A table of cases may be long.
      'max-lines': ['error', { max: 450, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Answers are parsed and compared here; a wrong shape fails the expectation.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'off',
    },
  },
);
