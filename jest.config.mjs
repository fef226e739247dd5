export default {
  rootDir: '.',
  testMatch: [
    '<rootDir>/{adapters,app,bench,cli,formats,media,mixins,models,packages,scripts,services,test,web/src}/**/*.test.ts',
  ],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  modulePathIgnorePatterns: ['<rootDir>/.cache/', '<rootDir>/data/', '<rootDir>/web/dist'],
  testEnvironment: 'node',
  setupFilesAfterEnv: ['<rootDir>/test/support/assertions.mjs'],
  // Only what hangs needs an end: a busy machine takes its time.
  testTimeout: 240_000,
  maxWorkers: 2,
  // Modules of files that are done stay in a worker's memory: it is begun anew before there are too many.
  workerIdleMemoryLimit: '1200MB',
};
