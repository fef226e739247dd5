import { judgeChanges, judgeEmbedded, judgeObjects, judgeVideos } from './chaos/verdicts.ts';

/**
 * `npm run test:chaos`: kills the embedded program 30 times under load, 15 times during all kinds of changes of a library,
 * 200 times while objects are uploaded, changed and delivered, and 20 times while videos are encoded.
 */
const outcomes = [
  await judgeEmbedded(300, 30, [300, 3000]),
  await judgeChanges(15, [700, 2500]),
  await judgeObjects(200, [300, 2500]),
  await judgeVideos(20, [500, 6000], 1800),
];
const passed = outcomes.filter((outcome) => outcome === true).length;
console.log(`${passed} passed, ${outcomes.length - passed} failed`);
process.exit(passed === outcomes.length ? 0 : 1);
