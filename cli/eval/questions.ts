import { CsvError, parse } from 'csv-parse/sync';
import { CommandError } from '../connection.ts';
import { printable } from '../terminal.ts';
import { parsePlace, placeForms, type Place } from './place.ts';

/** A file, or a place in it, that answers a question: one record of the file of questions. */
export interface Expectation {
  /** Line of the record. */
  line: number;
  file: string;
  /** The place as written; empty if the whole file is meant. */
  placeText: string;
  place: Place | null;
}

/** A question with everything that answers it. */
export interface Question {
  text: string;
  expected: Expectation[];
}

/** Names of the columns, in lower case; the first is the documented one. */
const columnNames = {
  question: ['question', 'query'],
  file: ['expected file', 'file', 'expected_file'],
  place: ['place', 'expected place', 'location'],
} as const;
type ColumnName = keyof typeof columnNames;
const delimiters = [',', ';', '\t'] as const;
/** Limits of the search, and of the filename in the library. */
const [longestQuestion, longestFile] = [2000, 1024];

interface Column {
  index: number;
  name: string;
}

/** Reports errors by line and column. */
function faultIn(file: string): (line: number, column: Column | null, what: string) => CommandError {
  return (line, column, what) =>
    new CommandError(
      `${file}, line ${line}${column === null ? '' : `, column ${column.index + 1} (${printable(column.name)})`}: ${what}`,
    );
}
type Fault = ReturnType<typeof faultIn>;

/** The text of the file. A byte order mark, which spreadsheets write, is dropped. */
function textOf(bytes: Uint8Array, fault: Fault): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const decoder = new TextDecoder('utf-8');
    const before = decoder.decode(bytes).split('\ufffd')[0] ?? '';
    throw fault(before.split('\n').length, null, 'this is not UTF-8; save the file as CSV UTF-8');
  }
}

interface Row {
  line: number;
  cells: string[];
}

/** The records with the lines that they begin at. Blank ones are omitted. */
function rowsOf(text: string, delimiter: string, fault: Fault): Row[] {
  const records = parseRecords(text, delimiter, fault);
  let line = 1;
  return records.flatMap(({ record, raw }) => {
    const leading = /^(?:[ \t]*\r?\n)*/.exec(raw)?.[0] ?? '';
    const begins = line + lineBreaks(leading);
    line += lineBreaks(raw);
    return record.every((cell) => cell.trim() === '')
      ? []
      : [{ line: begins, cells: record.map((cell) => cell.trim()) }];
  });
}

function parseRecords(text: string, delimiter: string, fault: Fault): { record: string[]; raw: string }[] {
  try {
    // With `raw`, each record comes with its text, which the library's types do not know.
    const parsed: unknown = parse(text, { delimiter, relax_column_count: true, relax_quotes: true, raw: true });
    return parsed as { record: string[]; raw: string }[];
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error;
    const raw = typeof error['raw'] === 'string' ? error['raw'] : '';
    const column = { index: Number(error['column']), name: 'quoted text' };
    const line = lineBreaks(text.slice(0, Math.max(0, text.length - raw.length))) + 1;
    throw fault(line, column, 'a quotation mark is opened and not closed');
  }
}

function lineBreaks(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0;
}

/** The delimiter of the header: its own names hold none. */
function delimiterOf(text: string): string {
  const header = text.split(/\r\n|\n|\r/, 1)[0] ?? '';
  return [...delimiters].sort((one, other) => header.split(other).length - header.split(one).length)[0] ?? ',';
}

function columnsOf(header: Row, fault: Fault): Record<ColumnName, Column | null> {
  const find = (wanted: ColumnName): Column | null => {
    const index = header.cells.findIndex((cell) => columnNames[wanted].some((name) => name === cell.toLowerCase()));
    return index === -1 ? null : { index, name: header.cells[index] ?? '' };
  };
  const columns = { question: find('question'), file: find('file'), place: find('place') };
  for (const wanted of ['question', 'file'] as const)
    if (columns[wanted] === null)
      throw fault(
        header.line,
        null,
        `there is no column "${columnNames[wanted][0]}". The first line names the columns: question,expected file,place`,
      );
  return columns;
}

/**
 * The questions of a CSV file (UTF-8; comma, semicolon or tab): the columns `question`, `expected file` and,
 * optionally, `place`. Records with the same question belong together: each names one answer.
 * @param name of the file, for errors
 * @throws CommandError with the line and the column of what is wrong
 */
export function readQuestions(bytes: Uint8Array, name: string): Question[] {
  const fault = faultIn(name);
  const text = textOf(bytes, fault);
  const [header, ...rows] = rowsOf(text, delimiterOf(text), fault);
  if (header === undefined)
    throw fault(1, null, 'the file is empty. The first line names the columns: question,expected file,place');
  const columns = columnsOf(header, fault);
  const questions = new Map<string, Question>();
  for (const { line, cells } of rows) {
    if (cells.length > header.cells.length)
      throw fault(
        line,
        { index: header.cells.length, name: 'without a name' },
        'there are more cells than columns; put text that holds the delimiter into quotation marks',
      );
    const cell = (column: Column | null, max: number, isNeeded: boolean): string => {
      const value = column === null ? '' : (cells[column.index] ?? '');
      if (isNeeded && value === '') throw fault(line, column, 'it is empty');
      if ([...value].length > max) throw fault(line, column, `it is longer than ${max} characters`);
      return value;
    };
    const question = cell(columns.question, longestQuestion, true);
    const file = cell(columns.file, longestFile, true);
    const placeText = cell(columns.place, longestFile, false);
    const place = placeText === '' ? null : parsePlace(placeText);
    if (placeText !== '' && place === null)
      throw fault(line, columns.place, `"${printable(placeText)}" is not a place: ${placeForms}`);
    const known = questions.get(question) ?? { text: question, expected: [] };
    known.expected.push({ line, file, placeText, place });
    questions.set(question, known);
  }
  if (questions.size === 0) throw fault(header.line, null, 'there are no questions after the names of the columns');
  return [...questions.values()];
}
