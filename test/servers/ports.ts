import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const host = '127.0.0.1';
/** Ports below are those of well-known services. */
const first = 15_000;
/** From here on the system itself gives ports to whoever asks for any, and to outgoing connections. */
const usualEnd = 32_768;
/** Fewer ports than this are too few to be chosen from by chance. */
const fewest = 1000;

/** The first port that the system gives away by itself. Linux tells it; elsewhere the usual one is taken. */
function endOfChoice(): number {
  try {
    const told = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    return told >= first + fewest ? told : usualEnd;
  } catch {
    // Not Linux.
    return usualEnd;
  }
}

/**
 * A loopback port (TCP) that stays free for this process and those that it starts, until it ends: what listens there
 * may come later, and go and come again. A port that was only seen free a moment ago is somebody else's before a
 * program has started, now and then. So ports are taken from below those that the system gives away by itself, and each
 * is claimed by the UDP socket of the same number, which one process at a time can have and which the system closes
 * when that ends.
 */
export async function freePort(): Promise<number> {
  const end = endOfChoice();
  for (let attempt = 0; attempt < fewest; attempt += 1) {
    const port = randomInt(first, end);
    const release = await claim(port);
    if (release === null) continue;
    if (await canListen(port)) return port;
    release();
  }
  throw new Error(`no loopback port between ${first} and ${end} is free`);
}

/** Claims a port for as long as this process lives; answers how to give it back, or null where another has it. */
function claim(port: number): Promise<(() => void) | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => {
      socket.close();
      resolve(null);
    });
    socket.bind({ address: host, port, exclusive: true }, () => {
      socket.unref();
      resolve(() => socket.close());
    });
  });
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
