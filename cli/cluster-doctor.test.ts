import { variables } from '../models/configuration/table.ts';
import { clusterFindings, type AskedProcess } from './cluster-doctor.ts';

const others = variables.PLY_ROLES.fallback.filter((role) => role !== 'gateway' && role !== 'transcriber');
const report = (roles: string[], parts: Record<string, 'up' | 'down'>, ready = true): AskedProcess['report'] => ({
  roles,
  version: '1.2.3',
  ready,
  parts: Object.fromEntries(Object.entries(parts).map(([name, state]) => [name, { state }])),
});

describe('the doctor of a cluster', () => {
  it('shows every process and store in one table', () => {
    const { table, findings } = clusterFindings([
      { nodeId: 'one', report: report(['gateway', 'transcriber'], { records: 'up', counters: 'up' }) },
      { nodeId: 'two', report: report(others, { records: 'up', passages: 'up' }) },
    ]);
    expect(table.split('\n').map((line) => line.replace(others.join(','), 'others').split(/\s+/))).toEqual([
      ['process', 'roles', 'version', 'ready', 'counters', 'passages', 'records'],
      ['one', 'gateway,transcriber', '1.2.3', 'yes', 'up', '-', 'up'],
      ['two', 'others', '1.2.3', 'yes', '-', 'up', 'up'],
    ]);
    expect(findings).toEqual([]);
  });

  it('names what is down, who does not answer, and which roles are missing', () => {
    const { findings } = clusterFindings([
      { nodeId: 'one', report: report(others, { records: 'up', counters: 'down' }, false) },
      { nodeId: 'two', report: 'the request timed out' },
    ]);
    expect(findings.map(({ state, what }) => `${state}: ${what}`)).toEqual([
      'broken: no process runs the role gateway',
      'degraded: no process runs the role transcriber',
      'broken: one is not ready',
      'broken: one: counters is down',
      'broken: two does not answer: the request timed out',
    ]);
  });
});
