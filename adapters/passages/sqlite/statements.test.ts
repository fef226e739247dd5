import { mkdtempSync, rmSync } from 'node:fs';
import type { SQLInputValue } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { retrieval, vector } from '../conformance-data.ts';
import { openConnection } from './connection.ts';
import { meaningLeg, postingsSql } from './statements.ts';

describe('the query plans of the two legs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-statements-'));
  const connection = openConnection(join(folder, 'passages.db'), 'writer');
  afterAll(() => {
    connection.close();
    rmSync(folder, { recursive: true });
  });
  const asked = retrieval({
    principals: ['p'],
    terms: [['a'], ['b']],
    filter: { collections: ['c'], metadata: { k: 'v' }, speaker: 's', kind: 'video', externalIds: ['x'] },
  });

  function plan({ sql, values }: { sql: string; values: SQLInputValue[] }): string[] {
    return connection.all(`explain query plan ${sql}`, ...values).map((row) => String(row['detail']));
  }

  it('look up the postings of a word in each run of the organization', () => {
    expect(plan({ sql: postingsSql, values: ['stem', 1] })).toEqual([
      'SEARCH r USING INDEX runs_by_organization (organization=?)',
      'SEARCH p USING PRIMARY KEY (run=? AND stem=?)',
    ]);
  });

  it('visit only the vectors of permitted revisions', () => {
    const steps = plan(meaningLeg(1, asked, { model: 'm', vector: vector(1) })).filter((step) =>
      /^(SCAN|SEARCH) (v|l|p)\b/.test(step),
    );
    expect(steps[0]).toMatch(/^SEARCH l USING (PRIMARY KEY|INDEX live_by_file)/);
    expect(steps[1]).toBe('SEARCH v USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)');
  });
});
