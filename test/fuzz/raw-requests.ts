import { connect } from 'node:net';
import type { Mutation } from './mutations.ts';

/** Milliseconds in which a request is answered, or its connection closed. */
const patienceMs = 5000;
/** Milliseconds after which the client of a mutated request that was not answered goes away: it may be cut off. */
const cutOffMs = 300;

/** What a request may end with: every answer but a failure of the server (501 says that something is not offered). */
export const soundAnswers: readonly string[] = ['1xx', '2xx', '3xx', '4xx', '5xx', 'closed'];

/**
 * Sends bytes to a server, and says how they were answered: the class of the status, `closed`, `late`, or the status of a
 * failure of the server.
 * @param isWhole whether nothing is missing of the request, so that the client waits for the answer
 */
export function sendRaw(endpoint: string, bytes: Buffer, isWhole: boolean): Promise<string> {
  const { hostname, port } = new URL(endpoint);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const done = (outcome: string | null): void => {
      clearTimeout(timer);
      clearTimeout(end);
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1];
      if (outcome !== null) resolve(outcome);
      else if (status === undefined) resolve('closed');
      else resolve(status.startsWith('5') && status !== '501' ? status : `${status[0]}xx`);
    };
    const timer = setTimeout(() => done('late'), patienceMs);
    // What is cut off is waited for; then the client is gone.
    const end = isWhole ? undefined : setTimeout(() => socket.end(), cutOffMs);
    socket.on('data', (piece) => (answer += piece.toString('latin1')));
    socket.on('close', () => done(null));
    socket.on('error', () => done(null));
  });
}

const insertions = ['%', '%00', '\r\n', '\r', ':', ';', ',', '&acl', '?', '/../', '<', '&#0;', '\u0000', '0', ' '];

/** Replaces at most three bytes by a few that mean something in requests. */
export const insertText: Mutation = (original, chance) => {
  const at = chance.below(original.length + 1);
  return Buffer.concat([
    original.subarray(0, at),
    Buffer.from(chance.of(insertions), 'latin1'),
    original.subarray(at + chance.below(4)),
  ]);
};

/** Changes the body alone, and the length that the head says of it. */
export function inBody(mutation: Mutation): Mutation {
  const bodyOf = (request: Buffer): number => request.indexOf('\r\n\r\n') + 4;
  return (original, chance, others) => {
    const at = bodyOf(original);
    const body = mutation(
      original.subarray(at),
      chance,
      others.map((other) => other.subarray(bodyOf(other))),
    );
    const head = original.toString('latin1', 0, at).replace(/content-length: \d+/, `content-length: ${body.length}`);
    return Buffer.concat([Buffer.from(head, 'latin1'), body]);
  };
}
