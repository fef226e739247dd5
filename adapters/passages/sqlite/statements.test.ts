import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { retrieval, vector } from '../conformance-data.ts';
import { openConnection } from './connection.ts';
import { meaningLeg, wordLeg } from './statements.ts';

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

  function plan(leg: ReturnType<typeof wordLeg>): string[] {
    return connection
      .all(`explain query plan ${leg?.sql ?? ''}`, ...(leg?.values ?? []))
      .map((row) => String(row['detail']));
  }

  it('match words once and look up each match, instead of matching words for each permitted row', () => {
    const steps = plan(wordLeg(1, asked)).filter((step) => /^(SCAN|SEARCH) (words|l|p)\b/.test(step));
    expect(steps[0]).toMatch(/^SCAN words VIRTUAL TABLE INDEX 0:M\d$/);
    expect(steps[1]).toBe('SEARCH l USING PRIMARY KEY (organization=? AND number=?)');
    expect(steps[2]).toBe('SEARCH p USING INTEGER PRIMARY KEY (rowid=?)');
  });

  it('visit only the vectors of permitted revisions', () => {
    const steps = plan(meaningLeg(1, asked, { model: 'm', vector: vector(1) })).filter((step) =>
      /^(SCAN|SEARCH) (v|l|p)\b/.test(step),
    );
    expect(steps[0]).toMatch(/^SEARCH l USING (PRIMARY KEY|INDEX live_by_file)/);
    expect(steps[1]).toBe('SEARCH v USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)');
  });

  it('are empty without terms', () => {
    expect(wordLeg(1, retrieval({ terms: [] }))).toBeNull();
  });
});
