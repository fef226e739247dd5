import { judgeCluster, judgeClusterObjects } from './chaos/verdicts.ts';
import { testApiOverCluster } from './cluster/api-tests.ts';
import { none, plus } from './test/counts.ts';

/**
 * `npm run test:cluster`: the tests of registration and search over HTTP against a cluster on this machine, then the
 * chaos tests over others.
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
const chaos = [
  { name: 'chaos over a cluster', passed: await judgeCluster(300, 45) },
  { name: 'chaos with objects over a cluster', passed: await judgeClusterObjects(60) },
];
for (const { name, passed } of chaos)
  counts = plus(counts, passed === true ? { ...none, passed: 1 } : { ...none, failed: 1, failures: [name] });
for (const name of counts.skips) console.log(`SKIPPED: ${name}`);
for (const name of counts.failures) console.log(`FAILED: ${name}`);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exit(counts.failed > 0 ? 1 : 0);
