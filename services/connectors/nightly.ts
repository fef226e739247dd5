import type { Intake } from '../../mixins/lifecycle.ts';
import type { Connector } from '../../models/connector.ts';
import { timeZoneOf } from './create.ts';
import { nextNight } from './night.ts';
import { mayBeSynced } from './notify.ts';
import { askFor } from './request-sync.ts';
import { allConnectors, writeAttempts, type ConnectorTools } from './tools.ts';

const everyMilliseconds = 5000;
const inOneRound = 200;

/**
 * Asks for the syncs of connectors whose hour of the night has come, and of those that missed it while no process ran, once
 * each. Several processes may do so: each night is one conditional write.
 */
export function nightlyIntake(tools: ConnectorTools): Intake {
  const { log } = tools.house;
  let timer: NodeJS.Timeout | null = null;
  let underWay: Promise<void> = Promise.resolve();
  let isStopping = false;
  const plan = (milliseconds: number): void => {
    if (isStopping) return;
    timer = setTimeout(() => {
      let isMore = false;
      underWay = nightlyRound(tools, () => isStopping)
        .then((count) => {
          isMore = count === inOneRound;
        })
        .catch((error: unknown) => log.warn({ err: error }, 'nightly syncs are asked for later'))
        .finally(() => plan(isMore ? 0 : everyMilliseconds));
    }, milliseconds);
  };
  return {
    name: 'nightly syncs',
    start: async () => plan(0),
    stop: async () => {
      isStopping = true;
      if (timer !== null) clearTimeout(timer);
      await underWay;
    },
  };
}

/** Looks once for connectors that are due; answers how many it has dealt with, 200 at most. @throws StoreUnavailable */
export async function nightlyRound(tools: ConnectorTools, isOver: () => boolean = () => false): Promise<number> {
  const { records } = tools.house;
  const due = await allConnectors(tools.house).find({ filter: { nightlyDue: { $lte: records.time() } }, sort: [['nightlyDue', 1]], limit: inOneRound });
  for (const connector of due) {
    if (isOver()) break;
    await askAtNight(tools, connector);
  }
  return due.length;
}

/** Asks for the sync of one night and sets the next, in one write. */
async function askAtNight(tools: ConnectorTools, found: Connector): Promise<void> {
  const { house } = tools;
  const collection = allConnectors(house);
  const nightlyDue = nextNight(house.records.time(), await timeZoneOf(house, found.accountId), found._id);
  const isWanted = await mayBeSynced(house, found);
  let connector: Connector | null = found;
  for (let attempt = 0; attempt < writeAttempts; attempt += 1) {
    // Another process was first, or the connector is gone or not nightly any more.
    if (connector === null || connector.nightlyDue !== found.nightlyDue) return;
    const written = isWanted
      ? await askFor(tools, collection, connector, { delay: 0, isEvent: false, also: { nightlyDue } })
      : await collection.update(found._id, { nightlyDue: found.nightlyDue ?? null }, { set: { nightlyDue } });
    if (written !== null) return;
    connector = await collection.get(found._id);
  }
}
