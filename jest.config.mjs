export default {
  rootDir: '.',
  testMatch: ['<rootDir>/{adapters,bench,cli,house,mixins,models,scripts,services,test}/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.mjs' },
  testEnvironment: 'node',
  testTimeout: 30_000,
  maxWorkers: 2,
};
