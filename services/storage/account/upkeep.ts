import type { Intake } from '../../../mixins/lifecycle.ts';
import { periodicIntake } from '../../../mixins/periodic.ts';
import type { StorageAccount } from '../../../models/storage-account.ts';
import { dnsTimeoutMs } from '../domains/decide.ts';
import type { Dns } from '../domains/dns.ts';
import { drainDueOutboxes } from '../../../mixins/work/outbox.ts';
import type { Storage } from '../tools.ts';
import { accountOutbox, accountsOf, allAccounts, hostnameToFind } from './tools.ts';

/** Accounts of one round. */
const pageSize = 50;
/** How often accounts are looked for whose hostname is to be looked up, in milliseconds. */
const roundMs = 5000;
/** Milliseconds between two looks at a hostname. */
const lookMs = 60_000;

/** What is repeated in the background for storage accounts. Several processes do each other no harm. */
export function accountUpkeep(storage: Storage, dns: Pick<Dns, 'addresses'>): Intake[] {
  const { log } = storage.app;
  return [
    periodicIntake({
      name: 'looking for the hostnames of accounts',
      everyMs: roundMs,
      round: () => lookForHostnames(storage, dns),
      failed: (error) => log.warn({ err: error }, 'the hostnames of accounts could not be looked for, will retry'),
    }),
    periodicIntake({
      name: 'delivering outboxes of accounts',
      everyMs: roundMs,
      round: () => drainDueOutboxes(storage.app, accountOutbox(storage.app), allAccounts(storage.app)),
      failed: (error) => log.warn({ err: error }, 'outboxes of accounts could not be delivered, will retry'),
    }),
  ];
}

/** Looks up the hostnames that are due. Returns how many. */
export async function lookForHostnames(storage: Storage, dns: Pick<Dns, 'addresses'>): Promise<number> {
  const { app } = storage;
  const due = await allAccounts(app).find({
    filter: { lookAt: { $lte: app.runtime.now() } },
    sort: [['lookAt', 1]],
    limit: pageSize,
  });
  await Promise.all(due.map((account) => lookFor(storage, dns, account)));
  return due.length;
}

async function lookFor({ app, regions }: Storage, dns: Pick<Dns, 'addresses'>, account: StorageAccount): Promise<void> {
  const { organizationId, name, homeRegion, version, pendingSince } = account;
  const region = regions.find(({ code }) => code === homeRegion);
  const hostname = region === undefined ? null : hostnameToFind(region, name);
  const isFound = hostname === null || ((await dns.addresses(hostname)) ?? []).length > 0;
  const now = app.runtime.now();
  const isOver = isFound || now >= pendingSince + dnsTimeoutMs;
  await accountsOf(app, organizationId).update(
    organizationId,
    { version },
    {
      set: isOver ? { dnsState: isFound ? 'active' : 'failed' } : { lookAt: now + lookMs },
      ...(isOver ? { unset: ['lookAt'] } : {}),
      increment: { version: 1 },
    },
  );
}
