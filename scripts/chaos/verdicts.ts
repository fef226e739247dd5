import { changesChaos } from './changes.ts';
import { isClean } from './checker.ts';
import { clusterChaos } from './cluster.ts';
import { embeddedChaos } from './embedded.ts';
import { isIntact } from './embedded-program.ts';
import { clusterObjectChaos } from './objects/cluster.ts';
import { objectChaos } from './objects/embedded.ts';
import { isTrafficRight } from './objects/traffic.ts';
import { videoChaos } from './videos/embedded.ts';

/** Whether a chaos run passed; null if it could not run here. */
export type Outcome = boolean | null;

const log = (line: string): void => console.log(line);

/**
 * Runs the embedded chaos test, prints its report, and returns whether nothing was lost, duplicated, leaked or damaged.
 */
export async function judgeEmbedded(documents: number, kills: number, lifetimeMs: [number, number]): Promise<Outcome> {
  const recordings = Math.round(documents / 10);
  log(
    `The embedded program is killed ${kills} times while two organizations register ${documents} documents, ${recordings} of them recordings:`,
  );
  const films = Math.ceil(recordings / 3);
  const report = await embeddedChaos({ documents, recordings, films, kills, lifetimeMs, log });
  log(JSON.stringify(report, null, 2));
  return (
    isClean(report) &&
    report.ledgerFaults.length === 0 &&
    report.kills === kills &&
    isIntact(report.integrity) &&
    report.states['ready'] === documents
  );
}

/**
 * Runs the embedded chaos test with all kinds of changes, prints its report, and returns whether all answered changes
 * held.
 */
export async function judgeChanges(kills: number, lifetimeMs: [number, number]): Promise<Outcome> {
  log(
    `The embedded program is killed ${kills} times while files are imported, replaced, restricted, labelled, removed, indexed again and cancelled:`,
  );
  const report = await changesChaos({ kills, lifetimeMs, log });
  log(JSON.stringify(report, null, 2));
  return report.faults.length === 0 && report.kills === kills && isIntact(report.integrity);
}

/**
 * Runs the embedded chaos test of objects and their delivery, prints its report, and returns whether all answered changes
 * held and every downloaded byte was counted once.
 */
export async function judgeObjects(kills: number, lifetimeMs: [number, number]): Promise<Outcome> {
  log(
    `The embedded program is killed ${kills} times while files are uploaded, overwritten, deleted, aborted and downloaded:`,
  );
  const report = await objectChaos({ kills, lifetimeMs, log });
  log(JSON.stringify(report, null, 2));
  return (
    report.faults.length === 0 && report.kills === kills && isTrafficRight(report.traffic) && isIntact(report.integrity)
  );
}

/** Most processor time of ffmpeg with kills, as a multiple of that without. */
const mostRepeated = 1.3;

/**
 * Runs the embedded chaos test of videos and webhooks, prints its report, and returns whether the killed program made the
 * same, told the same, and repeated little.
 */
export async function judgeVideos(kills: number, lifetimeMs: [number, number], seconds: number): Promise<Outcome> {
  log(
    `The embedded program is killed up to ${kills} times while it encodes a film of ${seconds} s and sends webhooks:`,
  );
  const report = await videoChaos({ kills, lifetimeMs, seconds, log });
  log(JSON.stringify(report, null, 2));
  const repeatsLittle = (report.cpuSeconds?.ratio ?? 1) <= mostRepeated;
  return report.faults.length === 0 && repeatsLittle && isIntact(report.integrity);
}

/**
 * Runs the chaos test over a cluster, prints its report, and returns whether it passed; null, with the reason printed,
 * without servers.
 */
export async function judgeCluster(documents: number, faults: number): Promise<Outcome> {
  const recordings = Math.round(documents / 10);
  log(
    `Processes of the cluster are killed or frozen ${faults} times while two organizations register ${documents} documents, ${recordings} of them recordings:`,
  );
  const report = await clusterChaos({ documents, recordings, faults, log });
  if ('unavailable' in report) {
    log(`The cluster cannot be started here: ${report.unavailable}`);
    return null;
  }
  log(JSON.stringify(report, null, 2));
  return (
    isClean(report) &&
    report.rowCountDifference === 0 &&
    report.ledgerFaults.length === 0 &&
    report.faults >= faults &&
    report.serversRestarted.length === 2 &&
    report.states['ready'] === documents
  );
}

/**
 * Runs the chaos test of objects over a cluster with three edges, prints its report, and returns whether it passed; null,
 * with the reason printed, without servers.
 */
export async function judgeClusterObjects(faults: number): Promise<Outcome> {
  log(
    `Processes of the cluster are killed or frozen ${faults} times while files are uploaded, overwritten, deleted, aborted and downloaded:`,
  );
  const report = await clusterObjectChaos({ faults, log });
  if ('unavailable' in report) {
    log(`The cluster cannot be started here: ${report.unavailable}`);
    return null;
  }
  log(JSON.stringify(report, null, 2));
  return report.wrong.length === 0 && report.faults >= faults && isTrafficRight(report.traffic);
}
