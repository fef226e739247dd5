import { judgeChanges, judgeEmbedded } from './chaos/verdicts.ts';

/** `npm run test:chaos`: kills the embedded program 30 times under load, and 15 times during all kinds of changes. */
const outcomes = [await judgeEmbedded(300, 30, [300, 3000]), await judgeChanges(15, [700, 2500])];
const passed = outcomes.filter((outcome) => outcome === true).length;
console.log(`${passed} passed, ${outcomes.length - passed} failed`);
process.exit(passed === outcomes.length ? 0 : 1);
