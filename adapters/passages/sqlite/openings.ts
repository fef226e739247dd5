import { counterOf, numberOf, type Connection } from './connection.ts';
import type { CodesState } from './codes-file.ts';

/** Openings that are remembered. */
const maxOpenings = 1000;
/** Hexadecimal digits of an opening's number: 48 bits. */
const openingDigits = 12;

/*
 * Each opening of the passages file by the writer has a random number, and is stored with the counter of changes at that
 * time. So a reader can tell whether what was derived from the file at an opening and a counter is of this file's own
 * past: a copy that was restored has another opening after an earlier change.
 */

/** Records that the writer has opened the file. */
export function recordOpening(connection: Connection, uuid: string): void {
  const opening = Number.parseInt(uuid.replaceAll('-', '').slice(0, openingDigits), 16);
  connection.run('insert into openings (opening, changes) values (?, ?)', opening, counterOf(connection, 'reworded'));
  connection.run('delete from openings where number <= (select max(number) from openings) - ?', maxOpenings);
}

/** The state of the file that the current transaction sees. */
export function codesStateOf(connection: Connection): CodesState {
  return {
    opening: numberOf(connection.get('select opening from openings order by number desc limit 1')?.['opening']),
    changes: counterOf(connection, 'reworded'),
    overwrites: counterOf(connection, 'relaid'),
  };
}

/** Whether the file was once in a state. */
export function wasIn(connection: Connection, { opening, changes }: CodesState): boolean {
  const own = connection.get('select number from openings where opening = ?', opening);
  if (own === undefined) return false;
  const next = connection.get(
    'select changes from openings where number > ? order by number limit 1',
    numberOf(own['number']),
  );
  return changes <= (next === undefined ? counterOf(connection, 'reworded') : numberOf(next['changes']));
}
