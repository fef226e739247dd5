import { isClean } from './chaos/checker.ts';
import { embeddedChaos } from './chaos/embedded.ts';

/** `npm run test:chaos`: the embedded program, killed 30 times under load. */
console.log('The embedded program is killed 30 times while two organizations register 300 documents:');
const report = await embeddedChaos({ documents: 300, kills: 30, life: [300, 3000], tell: (line) => console.log(line) });
console.log(JSON.stringify(report, null, 2));
const clean = isClean(report) && Object.values(report.integrity).every((words) => words === 'ok') && report.states['ready'] === report.documents;
console.log(clean ? '1 passed, 0 failed' : '0 passed, 1 failed');
process.exit(clean ? 0 : 1);
