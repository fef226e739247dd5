export default {
  rootDir: '.',
  testMatch: ['<rootDir>/{adapters,bench,cli,house,mixins,models,scripts,services,test}/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/data/'],
  testEnvironment: 'node',
  setupFilesAfterEnv: ['<rootDir>/test/support/assertions.mjs'],
  testTimeout: 30_000,
  maxWorkers: 2,
};
