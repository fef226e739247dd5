import { judgeEmbedded } from './chaos/verdicts.ts';

/** `npm run test:chaos`: the embedded program, killed 30 times under load. */
const passed = await judgeEmbedded(300, 30, [300, 3000]);
console.log(passed === true ? '1 passed, 0 failed' : '0 passed, 1 failed');
process.exit(passed === true ? 0 : 1);
