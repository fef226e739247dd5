import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openSqliteRecords } from '../../../adapters/records/sqlite/records.ts';
import type { House } from '../../../mixins/house.ts';
import { Lifecycle } from '../../../mixins/lifecycle.ts';
import { Metrics } from '../../../mixins/metrics.ts';
import { sealer } from '../../../mixins/sealing.ts';
import type { Caller } from '../../../models/api.ts';
import { systemAmbient } from '../../../models/ambient.ts';
import { readConfiguration } from '../../../models/configuration/configuration.ts';
import { bootstrapAccount, type FirstStart } from '../bootstrap.ts';
import { accountCollections, booksOf, type AccountsHouse, type Books } from '../tools.ts';

/** A house for tests of this actor: SQLite records in a folder of their own, counters that only count, a clock that is set. */
export interface TestHouse extends AccountsHouse, Pick<House, 'sealer' | 'metrics'> {
  lifecycle: Lifecycle;
  books: Books;
  /** Moves the clock, in milliseconds. */
  pass(milliseconds: number): void;
  stop(): Promise<void>;
}

/** Opens a test house with these `PLY_*` variables. */
export async function testHouse(environment: { [name: string]: string } = {}): Promise<TestHouse> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-accounts-'));
  let passed = 0;
  const ambient = { ...systemAmbient, now: () => Date.now() + passed };
  const records = await openSqliteRecords({ folder, ambient });
  await records.prepare(accountCollections);
  const taken = new Map<string, number>();
  return {
    records,
    ambient,
    configuration: readConfiguration(environment),
    log: pino({ level: 'silent' }),
    lifecycle: new Lifecycle(),
    metrics: new Metrics(),
    sealer: sealer(new Uint8Array(32), ambient),
    counters: {
      take: async (key, limit, windowMs) => {
        const count = (taken.get(key) ?? 0) + 1;
        if (count <= limit) taken.set(key, count);
        return { allowed: count <= limit, limit, remaining: Math.max(0, limit - count), resetMs: windowMs };
      },
      shareAmong: () => undefined,
      ping: async () => undefined,
      close: async () => undefined,
    },
    books: booksOf({ records }),
    pass: (milliseconds) => (passed += milliseconds),
    stop: async () => {
      await records.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A house after its first start. */
export async function startedHouse(environment: { [name: string]: string } = {}): Promise<{ house: TestHouse; first: FirstStart }> {
  const house = await testHouse(environment);
  const first = await bootstrapAccount(house);
  if (first === null) throw new Error('the first start made nothing');
  return { house, first };
}

/** A caller with an admin key of the account's own organization. */
export function adminOf(first: FirstStart): Caller {
  return { accountId: first.accountId, organizationId: first.organizationId, keyId: 'key', keyPrefix: 'ply_12345678', keyLabel: 'label', keyScope: 'admin', requestId: 'request' };
}
