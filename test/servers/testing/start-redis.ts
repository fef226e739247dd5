import { startServer } from '../servers.ts';

/** Starts a server, prints its address, and waits to be killed. */
const server = await startServer('redis');
console.log('unavailable' in server ? server.unavailable : server.url);
setInterval(() => undefined, 1000);
