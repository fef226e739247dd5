import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openSqliteRecords } from '../../../adapters/records/sqlite/records.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import { Lifecycle } from '../../../mixins/lifecycle.ts';
import { Metrics } from '../../../mixins/metrics.ts';
import { sealer } from '../../../mixins/sealing.ts';
import type { Caller } from '../../../models/api.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { readConfiguration } from '../../../models/configuration/configuration.ts';
import { bootstrapAccount, type FirstStart } from '../bootstrap.ts';
import { accountCollections, collectionsOf, type AccountsContext, type AccountCollections } from '../collections.ts';

/**
 * An app context for tests of this actor: SQLite records in their own folder, counters without time windows, and a
 * clock that tests move.
 */
export interface TestApp extends AccountsContext, Pick<AppContext, 'sealer' | 'metrics'> {
  lifecycle: Lifecycle;
  collections: AccountCollections;
  /** Moves the clock, in milliseconds. */
  pass(milliseconds: number): void;
  stop(): Promise<void>;
}

/** Opens a test app context with these `PLY_*` variables. */
export async function testApp(environment: { [name: string]: string } = {}): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-accounts-'));
  let passed = 0;
  const runtime = { ...systemRuntime, now: () => Date.now() + passed };
  const records = await openSqliteRecords({ folder, runtime });
  await records.prepare(accountCollections);
  const taken = new Map<string, number>();
  return {
    records,
    runtime,
    configuration: readConfiguration(environment),
    log: pino({ level: 'silent' }),
    lifecycle: new Lifecycle(),
    metrics: new Metrics(),
    sealer: sealer(new Uint8Array(32), runtime),
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
    collections: collectionsOf({ records }),
    pass: (milliseconds) => (passed += milliseconds),
    stop: async () => {
      await records.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A test app context after the first start. */
export async function startedApp(
  environment: { [name: string]: string } = {},
): Promise<{ app: TestApp; first: FirstStart }> {
  const app = await testApp(environment);
  const first = await bootstrapAccount(app);
  if (first === null) throw new Error('the first start created no account');
  return { app, first };
}

/** A caller with an admin key of the account's own organization. */
export function adminOf(first: FirstStart): Caller {
  return {
    accountId: first.accountId,
    organizationId: first.organizationId,
    keyId: 'key',
    keyPrefix: 'ply_12345678',
    keyLabel: 'label',
    keyScope: 'admin',
    requestId: 'request',
  };
}
