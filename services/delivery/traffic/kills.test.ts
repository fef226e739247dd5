import { fork } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDead } from '../../../mixins/spool/sender.ts';

interface Batch {
  writer: string;
  number: number;
  lines: string;
}
type Message = { key: string; at: number } | { id: string; batch: Batch } | { drained: boolean };

const folder = mkdtempSync(join(tmpdir(), 'ply-traffic-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** How long before a kill a response must have been recorded to be counted for sure. Written after 20 ms if not busy. */
const lossWindowMs = 1000;

it('nothing is lost or counted twice when an edge is killed at any moment', async () => {
  const stored = new Map<string, string>();
  const recorded = new Map<string, number>();
  const sure = new Set<string>();
  const run = async (round: number, mode: string): Promise<void> => {
    const child = fork(join(import.meta.dirname, 'testing/edge.ts'), [folder, String(round), mode]);
    let drained = false;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const own = new Map<string, number>();
    child.on('message', (message: Message) => {
      if ('key' in message) own.set(message.key, message.at);
      else if ('drained' in message) drained = message.drained;
      else {
        const id = `${message.batch.writer}:${message.batch.number}`;
        const before = stored.get(id);
        if (before !== undefined) expect(message.batch.lines).toBe(before);
        stored.set(id, message.batch.lines);
        // Some batches are stored without the edge ever learning of it.
        if (mode === 'drain' || (stored.size + round) % 3 !== 0) child.send(message.id, () => undefined);
      }
    });
    while (mode === 'drain' ? !drained : own.size < 200) await pause(10);
    if (mode !== 'drain') await pause(200 + ((round * 977) % 1700));
    const killedAt = Date.now();
    child.kill('SIGKILL');
    await ended;
    for (const [key, at] of own) {
      recorded.set(key, at);
      if (at < killedAt - lossWindowMs) sure.add(key);
    }
  };
  for (let round = 1; round <= 5; round += 1) await run(round, 'serve');
  await run(9, 'drain');
  const counted = [...stored.values()].flatMap((lines) =>
    lines.split('\n').flatMap((line) => (line === '' ? [] : [String((JSON.parse(line) as unknown[])[7])])),
  );
  expect(new Set(counted).size).toBe(counted.length);
  expect([...sure].filter((key) => !counted.includes(key))).toEqual([]);
  expect(sure.size).toBeGreaterThan(200);
  expect(readdirSync(join(folder, 'traffic')).flatMap((name) => readdirSync(join(folder, 'traffic', name)))).toEqual(
    [],
  );
}, 120_000);

it('knows the folders of processes that are gone', () => {
  const running = (pid: number): boolean => pid === 7;
  expect(isDead('a-b-8-0011aabb', 'a-b', running)).toBe(true);
  expect(isDead('a-b-7-0011aabb', 'a-b', running)).toBe(false);
  expect(isDead(`${hostname()}-${process.pid}-0011aabb`, hostname(), () => true)).toBe(true);
  expect(isDead('other-8-0011aabb', 'a-b', running)).toBe(false);
});
