import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '../../scripts/setup/system.ts';
import { commandLine } from '../support/command-line.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

/** The ledger looks every few seconds, and the library reads the file of the clock once a second. */
const waitMs = 60_000;

/** The library of Debian that shows a program another time than the machine has. */
function findLibrary(): string | undefined {
  return readdirSync('/usr/lib')
    .map((folder) => join('/usr/lib', folder, 'faketime/libfaketimeMT.so.1'))
    .find((path) => existsSync(path));
}

const present = await ensureProgram(['faketime', '--version'], ['faketime']);
const library = findLibrary();
if (!present.ok || library === undefined)
  skipWithReason('statements of a machine whose clock is set', present.ok ? 'libfaketime is missing' : present.reason);
else {
  const folder = mkdtempSync(join(tmpdir(), 'ply-clock-'));
  const clockFile = join(folder, 'clock');
  const writeClock = (time: string): void => {
    const seconds = Math.round((Date.parse(time) - Date.now()) / 1000);
    writeFileSync(clockFile, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  };
  /** Sets the clock of the program's machine, and waits until the program has seen it. It goes on from there. */
  const setClock = async (time: string): Promise<void> => {
    writeClock(time);
    await until(
      async () => Date.parse((await program.standard.ask('GET', `${content}/assets`)).headers.get('date') ?? ''),
      (shown) => Math.abs(shown - Date.parse(time)) < 30_000,
      waitMs,
    );
  };
  const clock = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  let program: TestProgram;
  beforeAll(async () => {
    writeClock('2031-04-29T10:00:00Z');
    program = await startTestProgram(clock);
    await program.standard.indexed({
      ...program.source.put('a.txt', 'The lighthouse keeper sleeps.'),
      filename: 'a.txt',
    });
  }, 60_000);
  afterAll(async () => {
    await program.end();
    rmSync(folder, { recursive: true });
  });

  interface Month {
    status: string;
    statementNumber: string | null;
    lines: { metric: string; dimension: string; quantity: number }[];
  }
  const month = (name: string): Promise<Month> => program.standard.get(200, 'GET', `${content}/usage?month=${name}`);
  const search = (): Promise<unknown> => program.standard.search({ query: 'lighthouse' });
  const statements = async (): Promise<[string, string][]> =>
    (
      await program.standard.get<{ items: { statementNumber: string; month: string }[] }>(
        200,
        'GET',
        `${content}/statements`,
      )
    ).items.map(({ statementNumber, month: of }) => [of, statementNumber.slice(9)]);
  const searchesOf = ({ lines }: Month): [string, number][] =>
    lines.filter(({ metric }) => metric === 'searches').map(({ dimension, quantity }) => [dimension, quantity]);
  /** Waits until the searches of a month are these. */
  const counted = async (name: string, searches: [string, number][]): Promise<void> => {
    const isCounted = (found: Month): boolean => JSON.stringify(searchesOf(found)) === JSON.stringify(searches);
    expect(searchesOf(await until(() => month(name), isCounted, waitMs))).toEqual(searches);
  };
  const closed = async (count: number): Promise<[string, string][]> =>
    until(statements, ({ length }) => length >= count, waitMs);

  it('a month closes once, after its grace, also when the clock is set back and forward', async () => {
    await search();
    await counted('2031-04', [['searches', 1]]);
    // The grace is not over.
    await setClock('2031-05-03T23:55:00Z');
    await search();
    await counted('2031-05', [['searches', 1]]);
    expect(await statements()).toEqual([]);
    await setClock('2031-05-04T00:00:01Z');
    expect(await closed(1)).toEqual([['2031-04', '2031-000001']]);
    const april = await month('2031-04');
    expect(april).toMatchObject({ status: 'closed', statementNumber: expect.any(String) });

    // Back in April: the statement stays, and what happens there now is late.
    await setClock('2031-04-30T12:00:00Z');
    await search();
    await counted('2031-05', [
      ['searches', 1],
      ['searches/late-2031-04', 1],
    ]);
    expect(await month('2031-04')).toEqual(april);
    expect(await statements()).toHaveLength(1);

    // Two months ahead at once: both close, in order, with the late search on the first of them.
    await setClock('2031-07-04T00:00:10Z');
    expect(await closed(3)).toEqual([
      ['2031-06', '2031-000003'],
      ['2031-05', '2031-000002'],
      ['2031-04', '2031-000001'],
    ]);
    expect(searchesOf(await month('2031-05'))).toEqual([
      ['searches', 1],
      ['searches/late-2031-04', 1],
    ]);
    const ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
    const verified = await ply(['statements', 'verify']);
    expect([verified.code, verified.output.match(/equals its events/g)?.length]).toEqual([0, 3]);
  }, 240_000);
}
