import { call } from '../mixins/actions/call.ts';
import type { ProcessReport } from '../mixins/actions/process.ts';
import { variables } from '../models/configuration/table.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { reasonOf } from './connection.ts';
import type { Finding } from './doctor.ts';
import { withCluster } from './operator.ts';
import { printable } from './terminal.ts';

const answerMs = 5000;

/** A process of the cluster, and its report or why there is none. */
export interface AskedProcess {
  nodeId: string;
  report: ProcessReport | string;
}

/** Asks every process of the cluster how it stands. @throws CommandError if the records or NATS cannot be reached */
export function askProcesses(configuration: Configuration): Promise<AskedProcess[]> {
  return withCluster(configuration, 'process', async (broker) => {
    const services: { name?: unknown; nodeID?: unknown }[] = broker.registry.getServiceList({
      onlyAvailable: true,
      withActions: false,
      withEvents: false,
      skipInternal: true,
    });
    const nodes = services.flatMap(({ name, nodeID }) =>
      name === 'process' && typeof nodeID === 'string' ? nodeID : [],
    );
    return Promise.all(
      [...new Set(nodes)].toSorted().map(async (nodeId): Promise<AskedProcess> => ({
        nodeId,
        report: await call(broker, 'process.health', {}, { nodeID: nodeId, timeout: answerMs }).catch(
          (error: unknown) => reasonOf(error),
        ),
      })),
    );
  });
}

/** One table of all processes and their stores, and what is wrong with them. */
export function clusterFindings(processes: readonly AskedProcess[]): { table: string; findings: Finding[] } {
  const reports = processes.flatMap(({ report }) => (typeof report === 'string' ? [] : [report]));
  const parts = [...new Set(reports.flatMap((report) => Object.keys(report.parts)))].toSorted();
  const rows = [
    ['process', 'roles', 'version', 'ready', ...parts],
    ...processes.map(({ nodeId, report }) =>
      typeof report === 'string'
        ? [nodeId, 'no answer', '', 'no', ...parts.map(() => '')]
        : [
            nodeId,
            report.roles.join(','),
            report.version,
            report.ready ? 'yes' : 'no',
            ...parts.map((part) => report.parts[part]?.state ?? '-'),
          ],
    ),
  ].map((row) => row.map(printable));
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const table = rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
  const missing = variables.PLY_ROLES.fallback.filter((role) => !reports.some(({ roles }) => roles.includes(role)));
  return {
    table,
    findings: [
      ...missing.map((role): Finding => ({
        // Transcribers scale to zero while no recording waits.
        state: role === 'transcriber' ? 'degraded' : 'broken',
        what: `no process runs the role ${role}`,
        fix: `kubectl describe deployment ${role}`,
      })),
      ...processes.flatMap(({ nodeId, report }) => wrongWith(nodeId, report)),
    ],
  };
}

function wrongWith(nodeId: string, report: ProcessReport | string): Finding[] {
  if (typeof report === 'string') return [{ state: 'broken', what: `${nodeId} does not answer: ${printable(report)}` }];
  return [
    ...(report.ready ? [] : [{ state: 'broken', what: `${nodeId} is not ready` } as const]),
    ...Object.entries(report.parts)
      .filter(([, { state }]) => state === 'down')
      .map(([part, { detail }]): Finding => ({
        state: 'broken',
        what: `${nodeId}: ${part} is down${detail === undefined ? '' : ` (${printable(detail)})`}`,
      })),
  ];
}
