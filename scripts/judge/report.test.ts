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

  it('says how many can pass without what is not offered, and how others did', () => {
    const section = sectionOf(
      {
        suite: 'a suite',
        selection: 'All of it.',
        cases: [
          { name: 'one', outcome: 'passed', reason: '' },
          { name: 'two', outcome: 'failed', reason: 'no versions' },
          { name: 'version_three', outcome: 'failed', reason: 'another' },
          { name: 'four', outcome: 'failed', reason: 'a mistake' },
          { name: 'version_five', outcome: 'passed', reason: '' },
          { name: 'six', outcome: 'skipped', reason: '' },
        ],
        capabilities: [
          { name: 'versions', sign: /version/ },
          { name: 'locks', sign: /lock/ },
        ],
        peers: [{ name: 'Another', cases: [{ name: 'one', outcome: 'passed', reason: '' }] }],
      },
      '2026-01-02',
    );
    expect(section.split('\n').slice(2, 10)).toEqual([
      '**2 of 6 pass**, 3 fail, 1 skip themselves (2026-01-02).',
      'Another in the same run: 1 of 1.',
      '',
      '2 of the failed cases begin with something that the door does not offer. Without it no more than 4 can pass;',
      'of those 4, 2 do, 1 do not, and 1 skip themselves.',
      '',
      '| not offered | failed cases |',
      '|---|---|',
    ]);
    expect(section).toContain('| versions | 2 |');
    expect(section).not.toContain('locks');
  });

  it('explains failures that are meant, and names those that are not', () => {
    const failed = (name: string, reason: string) => ({ name, outcome: 'failed' as const, reason });
    const cases = [failed('one', 'no versions'), failed('two', '412'), failed('three', '412'), failed('four', 'x')];
    const capabilities = [{ name: 'versions', sign: /version/ }];
    const meant = [
      { sign: /412/, why: 'it is refused' },
      { sign: /versions/, why: 'never' },
    ];
    const section = (only: typeof cases): string =>
      sectionOf({ suite: 'a suite', selection: 'All of it.', cases: only, capabilities, meant }, '2026-01-02');
    expect(section(cases)).toContain(
      [
        '2 failures of what is offered are meant; 1 are not: `four`.',
        '',
        '| why it is meant | cases |',
        '|---|---|',
        '| it is refused | `two`, `three` |',
      ].join('\n'),
    );
    expect(section(cases.slice(0, 3))).toContain('2 failures of what is offered are meant.');
  });
});
