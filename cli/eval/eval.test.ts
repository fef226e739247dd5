import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestProgram, type TestProgram } from '../../test/api/support/program.ts';
import { commandLine, type CommandLine } from '../../test/support/command-line.ts';

let program: TestProgram;
let ply: CommandLine;
const folder = mkdtempSync(join(tmpdir(), 'ply-eval-'));

function write(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
}

beforeAll(async () => {
  program = await startTestProgram();
  ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') }, folder);
  write('keeping.md', '# Lamp\n\nThe keeper trims the wick.\n\n# Fog\n\nThe bell <rings> twice a minute.\n');
  write('boats.txt', 'The pilot rows out to every vessel.\n');
  // A text with one word of many: too weak to show for a query of several words.
  write('stores.txt', 'Oil, rope, canvas and lantern glass are delivered in spring.\n');
  await ply(['add', 'keeping.md', 'boats.txt', 'stores.txt']);
});
afterAll(async () => {
  await program.end();
  rmSync(folder, { recursive: true });
});

describe('ply eval', () => {
  it('measures what is found, and shows each miss with what was shown instead', async () => {
    write(
      'questions.csv',
      [
        'question,expected file,place',
        'trimming the wick,keeping.md,line 3',
        'bell,boats.txt',
        'pilot vessel,boats.txt',
        'bell,keeping.md,1',
        'zeppelin hangar lantern mooring winch crew,stores.txt',
        'wick,missing.pdf,page 2',
      ].join('\n'),
    );
    const { code, output, errors } = await ply(['eval', 'questions.csv', '--page', 'report.html']);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toMatch(/^4 questions with 5 expected files or places\nrecall in the first 10 +0\.500\n/);
    expect(output).toMatch(
      /\nMRR in the first 10 +0\.500\nnDCG in the first 10 +0\.500\nquestions without a result +1 of 4\n/,
    );
    expect(output).toMatch(/\nwithheld under the floor +1 of 5\n/);
    expect(output).toContain(
      'line 3: bell\n  expected boats.txt: not found (a search in the file alone finds nothing)\n  shown instead:\n  1. keeping.md, lines 5-7  (high, 0.99)',
    );
    expect(output).toContain(
      'line 5: bell\n  expected keeping.md, place 1: another place of the file is shown (other places of the file are shown)',
    );
    expect(output).toContain(
      'expected stores.txt: withheld: found, but under the floor (1 passage of the file under the floor)\n  nothing is shown',
    );
    expect(output).toContain(
      'expected missing.pdf, page 2: not searchable, and not counted (the library has no file of this name)',
    );
    const page = readFileSync(join(folder, 'report.html'), 'utf8');
    expect(page).toContain('The <mark>bell</mark> &#60;rings&#62; twice a minute.');
    expect(page).not.toMatch(/<rings>|src=|href=|https?:/);
  });

  it('compares with an earlier page', async () => {
    write('few.csv', 'question,expected file\nlighthouse lens,lens.txt\npilot,boats.txt\nbell,boats.txt\n');
    write('lens.txt', 'Nothing is written yet.\n');
    await ply(['add', 'lens.txt']);
    expect((await ply(['eval', 'few.csv', '--page', 'before.html'])).code).toBe(0);
    write('lens.txt', 'The lens of the lighthouse is polished every week.\n');
    await ply(['add', 'lens.txt']);
    const { output } = await ply(['eval', 'few.csv', '--page', 'after.html', '--before', 'before.html']);
    expect(output).toMatch(/\nrecall in the first 10 +0\.667 +\(0\.333 before\)\n/);
    expect(output).toMatch(
      /\n\nFound now, not before\n {2}line 2: lighthouse lens \(not found before, now found among/,
    );
    expect(output).not.toContain('Found before, not now');
    expect(readFileSync(join(folder, 'after.html'), 'utf8')).toContain('Found now, not before (1)');
  });

  it('names its page by the questions and the time', async () => {
    const { output } = await ply(['eval', 'few.csv']);
    const [, name = ''] = /: (few\.\d{4}-\d\d-\d\dT\d{6}\.html)$/.exec(output) ?? [];
    expect(readFileSync(join(folder, name), 'utf8')).toMatch(/^<!doctype html>/);
  });

  it('has clear errors', async () => {
    write('wrong.csv', 'question,expected file\nbell,\n');
    write('unknown.csv', 'question,expected file\nbell,none.pdf\n');
    const errorOf = async (...words: string[]): Promise<string> => {
      const { code, errors } = await ply(['eval', ...words]);
      expect(code).toBe(1);
      return errors;
    };
    expect(await errorOf('wrong.csv')).toBe('wrong.csv, line 2, column 2 (expected file): it is empty');
    expect(await errorOf('absent.csv')).toMatch(/^\S+absent\.csv cannot be read: ENOENT/);
    expect(await errorOf()).toMatch(/^Name one file of questions: npm run ply -- eval <questions\.csv>/);
    expect(await errorOf('few.csv', '--floor')).toMatch(/^Unknown option '--floor'.*Usage: npm run ply -- eval/);
    expect(await errorOf('few.csv', '--before', 'few.csv')).toBe(
      'few.csv is not a page that npm run ply -- eval wrote.',
    );
    expect(await errorOf('unknown.csv')).toContain('the library has no file of this name');
  });
});
