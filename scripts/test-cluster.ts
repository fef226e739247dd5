import { judgeCluster } from './chaos/verdicts.ts';
import { testApiOverCluster } from './cluster/api-tests.ts';
import { none, plus } from './test/counts.ts';

/**
 * `npm run test:cluster`: the tests of registration and search over HTTP against a cluster on this machine, then the
 * chaos test over another one.
 */
console.log('The tests of the API run against a cluster:');
let counts = none;
const api = await testApiOverCluster((line) => console.log(line));
if ('unavailable' in api) {
  console.error(`The cluster cannot be started here: ${api.unavailable}`);
  process.exit(1);
}
counts = plus(counts, api);
console.log(`${api.passed} passed, ${api.failed} failed, ${api.skipped} skipped`);
const passed = await judgeCluster(300, 45);
counts = plus(
  counts,
  passed === true ? { ...none, passed: 1 } : { ...none, failed: 1, failures: ['chaos over a cluster'] },
);
for (const name of counts.skips) console.log(`SKIPPED: ${name}`);
for (const name of counts.failures) console.log(`FAILED: ${name}`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 ? 1 : 0);
