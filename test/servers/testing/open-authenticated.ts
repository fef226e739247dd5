import { openRedisCounters } from '../../../adapters/counters/redis.ts';
import { openJetStreamQueue } from '../../../adapters/queue/jetstream.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { testInstallation } from '../../support/installation.ts';

/*
 * Uses a NATS and a Redis server whose addresses are the arguments, and prints what they answered. A program of its own,
 * because Node reads NODE_EXTRA_CA_CERTS at its start only.
 */
const [natsUrl = '', redisUrl = ''] = process.argv.slice(2);
const queue = await openJetStreamQueue({
  url: natsUrl,
  installation: testInstallation('authenticated'),
  connectMs: 4000,
}).catch((error: unknown) => (error instanceof Error ? error.message : 'it failed'));
console.log(typeof queue === 'string' ? `NATS refused: ${queue}` : 'NATS accepted');
if (typeof queue !== 'string') await queue.close();
const counters = await openRedisCounters({ url: redisUrl, runtime: systemRuntime, commandMs: 2000 });
const answer = await counters.ping().then(
  () => 'accepted',
  (error: unknown) => `refused: ${error instanceof Error ? error.message : 'it failed'}`,
);
console.log(`Redis ${answer}`);
await counters.close();
process.exit();
