import { changesChaos } from './changes.ts';
import { isClean } from './checker.ts';
import { clusterChaos } from './cluster.ts';
import { embeddedChaos } from './embedded.ts';
import { isIntact } from './embedded-program.ts';

/** Whether a chaos run passed; null where it could not be made here. */
export type Outcome = boolean | null;

const log = (line: string): void => console.log(line);

/** Runs the embedded chaos, prints what was counted, and says whether nothing was lost, doubled, leaked or broken. */
export async function judgeEmbedded(documents: number, kills: number, life: [number, number]): Promise<Outcome> {
  const recordings = Math.round(documents / 10);
  log(
    `The embedded program is killed ${kills} times while two organizations register ${documents} documents, ${recordings} of them recordings:`,
  );
  const report = await embeddedChaos({ documents, recordings, kills, life, log });
  log(JSON.stringify(report, null, 2));
  return (
    isClean(report) && report.kills === kills && isIntact(report.integrity) && report.states['ready'] === documents
  );
}

/**
 * Runs the embedded chaos in which a library is changed in every way, prints what came of it, and says whether all that
 * was answered held.
 */
export async function judgeChanges(kills: number, life: [number, number]): Promise<Outcome> {
  log(
    `The embedded program is killed ${kills} times while files are imported, replaced, restricted, labelled, removed, indexed again and cancelled:`,
  );
  const report = await changesChaos({ kills, life, log });
  log(JSON.stringify(report, null, 2));
  return report.faults.length === 0 && report.kills === kills && isIntact(report.integrity);
}

/**
 * Runs the chaos over a cluster, prints what was counted, and says the same; null with the reason printed where there
 * are no servers.
 */
export async function judgeCluster(documents: number, faults: number): Promise<Outcome> {
  const recordings = Math.round(documents / 10);
  log(
    `${faults} times a process of the cluster is killed or frozen while two organizations register ${documents} documents, ${recordings} of them recordings:`,
  );
  const report = await clusterChaos({ documents, recordings, faults, log });
  if ('unavailable' in report) {
    log(`The cluster cannot be started here: ${report.unavailable}`);
    return null;
  }
  log(JSON.stringify(report, null, 2));
  return (
    isClean(report) &&
    report.rowsAstray === 0 &&
    report.faults >= faults &&
    report.serversRestarted.length === 2 &&
    report.states['ready'] === documents
  );
}
