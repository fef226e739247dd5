import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const host = '127.0.0.1';
/** Lower ports belong to well-known services. */
const first = 15_000;
/** The start of the system's range of ephemeral ports. */
const defaultEnd = 32_768;
/** Minimum number of ports for a random choice. */
const minPorts = 1000;

/** The first ephemeral port, from Linux; the default elsewhere. */
function rangeEnd(): number {
  try {
    const line = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    return line >= first + minPorts ? line : defaultEnd;
  } catch {
    // Not Linux.
    return defaultEnd;
  }
}

/**
 * A loopback port (TCP) that stays reserved for this process and its children until it ends. Servers may listen on it
 * later and repeatedly. A port that was merely found free can be taken by another process before a server starts. So
 * ports are chosen below the system's ephemeral range, and each is reserved by the UDP socket of the same number, which
 * only one process can have and the system closes when it ends.
 */
export async function freePort(): Promise<number> {
  const end = rangeEnd();
  for (let attempt = 0; attempt < minPorts; attempt += 1) {
    const port = randomInt(first, end);
    const release = await reserve(port);
    if (release === null) continue;
    if (await canListen(port)) return port;
    release();
  }
  throw new Error(`no loopback port between ${first} and ${end} is free`);
}

/** Reserves a port until this process ends; returns the function to release it, or null if another process has it. */
function reserve(port: number): Promise<(() => void) | null> {
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
