import { ColumnNames } from './column-names.ts';

/** The names that hold from each row on; rows are cells joined by bars, and null is a gap. */
function namesOf(rows: readonly (string | null)[]): (string | null)[] {
  const columns = new ColumnNames();
  return rows.flatMap((row, index) => (row === null ? [] : [columns.next(index + 1, row.split('|'))]));
}

describe('the names of columns', () => {
  it('are known where values stand below', () => {
    expect(namesOf(['item|quantity|price', 'colza oil|40 barrels|212', 'wicks|12 dozen|9'])).toEqual([
      null,
      'item | quantity | price',
      null,
    ]);
  });

  it('are known after three rows of texts', () => {
    expect(namesOf(['name|town', 'Ann|Hull', 'Bert|York', 'Carl|Leeds', 'Dora|Bath'])).toEqual([
      null,
      null,
      null,
      'name | town',
      null,
    ]);
  });

  it('stand below titles, and after a gap for another table', () => {
    expect(
      namesOf(['Employment 2006', 'Profile|Percent|Number', 'Seeking|93.8%|532', null, 'Seeking2|6.2%|35']),
    ).toEqual([null, null, 'Profile | Percent | Number', null]);
    expect(namesOf(['Item|Price', 'oil|3', null, 'Town|Keeper|Since', 'Hull|Ann|1861'])).toEqual([
      null,
      'Item | Price',
      null,
      'Town | Keeper | Since',
    ]);
    expect(namesOf(['Item|Price', 'oil|3', null, 'Town|Price', 'Hull|4'])).toEqual([
      null,
      'Item | Price',
      null,
      'Town | Price',
    ]);
  });

  it('are kept where data goes on after a gap', () => {
    expect(namesOf(['name|since', 'Ann|1861', null, 'Bert|unknown', 'Carl|1863'])).toEqual([
      null,
      'name | since',
      null,
      null,
    ]);
  });

  it.each<[string, string[]]>([
    ['values', ['Ann|1861', 'Bert|1862', 'Carl|1863', 'Dora|1864']],
    ['addresses', ['Ann|ann@example.org', 'Bert|b@example.org', 'Carl|c@example.org', 'Dora|d@example.org']],
    ['repeated texts', ['yes|no', 'no|maybe', 'yes|no', 'no|no', 'yes|yes']],
    ['twice the same', ['name|name', 'Ann|1', 'Bert|2']],
    ['long texts', [`name|${'long '.repeat(13)}`, 'Ann|1', 'Bert|2']],
    ['one cell', ['name', '1', '2', '3', '4']],
  ])('are not a first row of %s', (_, rows) => {
    expect(namesOf(rows).filter((names) => names !== null)).toEqual([]);
  });
});
