import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { openMongoRecords } from '../../../adapters/records/mongo/records.ts';
import { collections } from '../../../app/collections.ts';
import { checkSchema } from '../../../app/migrations/check-schema.ts';
import { watchEarlierPrograms } from '../../../app/migrations/earlier-programs.ts';
import { runMigrations } from '../../../app/migrations/run-migrations.ts';
import { migrations } from '../../../app/migrations/steps.ts';
import { systemRuntime } from '../../../models/runtime.ts';

/*
 * A process that migrates like the program, a few documents at a time and slowly:
 *
 *   node test/upgrade/testing/migrate.ts <address> <database> <file that exists while the first version runs> <name>
 *
 * It prints when it has begun, and exits when all migrations are done.
 */
const [url = '', database = '', firstVersionFile = '', nodeId = ''] = process.argv.slice(2);
const records = await openMongoRecords({ url, database, runtime: systemRuntime });
await checkSchema(records);
await records.prepare(collections);
const slow = migrations.map((step): typeof step => ({
  ...step,
  apply: async (...given) => {
    const page = await step.apply(...given);
    await pause(20);
    return page;
  },
}));
const earlierPrograms = watchEarlierPrograms(
  () => existsSync(firstVersionFile),
  () => performance.now(),
  500,
);
const walked = new Set<string>();
console.log('begun');
while (
  !(await runMigrations(
    { records, nodeId, log: pino({ level: 'silent' }) },
    { steps: slow, limit: 5, earlierPrograms, walked },
  ))
)
  await pause(50);
console.log('done');
await records.close();
