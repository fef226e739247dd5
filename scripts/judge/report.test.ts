import { sectionOf } from './report.ts';

describe('the section of a suite', () => {
  it('counts what passed and groups failures by their reason, the most frequent first', () => {
    const section = sectionOf(
      {
        suite: 'a suite',
        selection: 'All of it.',
        notes: ['A note.'],
        cases: [
          { name: 'one', outcome: 'passed', reason: '' },
          { name: 'two', outcome: 'failed', reason: 'a | b' },
          { name: 'three', outcome: 'failed', reason: 'no\nACL' },
          { name: 'four', outcome: 'failed', reason: 'no ACL' },
          { name: 'five', outcome: 'skipped', reason: '' },
        ],
      },
      '2026-01-02',
    );
    expect(section).toBe(
      [
        'All of it.',
        '',
        '**1 of 5 pass**, 3 fail, 1 skip themselves (2026-01-02).',
        '',
        'A note.',
        '',
        '| reason of the failure | cases | which |',
        '|---|---|---|',
        '| no ACL | 2 | `three`, `four` |',
        '| a \\| b | 1 | `two` |',
      ].join('\n'),
    );
  });
});
