import { parentPort } from 'node:worker_threads';

/* For tests: the body of a cutting thread that dies over its first text. */

parentPort?.once('message', () => process.exit(3));
