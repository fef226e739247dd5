import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestProgram, type TestProgram } from '../test/api/support/program.ts';
import { commandLine, type CommandLine } from '../test/support/command-line.ts';

let program: TestProgram;
let ply: CommandLine;
const files = mkdtempSync(join(tmpdir(), 'ply-files-'));

function write(name: string, content: string | Uint8Array): void {
  mkdirSync(join(files, name, '..'), { recursive: true });
  writeFileSync(join(files, name), content);
}

beforeAll(async () => {
  program = await startTestProgram({ PLY_PRIVATE_NETWORKS: 'deny' });
  ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') }, files);
});
afterAll(async () => {
  await program.end();
  rmSync(files, { recursive: true });
});

describe('the command line with a running program without private networks', () => {
  it('indexes a folder of mixed files, and lists failures by code', async () => {
    write('library/lighthouse.md', '# Lighthouses\n\nThe keeper trims the wick of the lantern every evening.\n');
    write('library/deep/prices.csv', 'item,price\nlantern oil,12\nwick,3\n');
    write('library/page.html', '<html><body><h1>Storms</h1><p>Waves break over the gallery.</p></body></html>');
    write('library/latin1.txt', Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
    write('library/picture.png', Uint8Array.from([0x89, 0x50]));
    const { code, output } = await ply(['add', 'library']);
    const [first, ...rest] = output.split('\n');
    expect(first).toMatch(/^3 files indexed in [\d.]+ s; 0 unchanged, 1 of other formats skipped\.$/);
    expect(rest).toEqual([
      '1 text_encoding_must_be_utf8: The text is not UTF-8. Convert the file and register the new version.',
      `    ${join(files, 'library/latin1.txt')}`,
    ]);
    expect(code).toBe(0);
  });

  it('finds passages with locations and highlights', async () => {
    const { output } = await ply(['search', 'trimming', 'wicks']);
    expect(output).toMatch(/^1\. lighthouse\.md, lines? \d.*\n {3}.*\[trims\] the \[wick\] of the lantern/);
    expect((await ply(['search', 'zeppelin'])).output).toMatch(/^Nothing found for "zeppelin"/);
  });

  it('indexes changed files only', async () => {
    write('library/lighthouse.md', '# Lighthouses\n\nThe keeper winds the clockwork every evening.\n');
    const { output } = await ply(['add', 'library']);
    expect(output).toMatch(/^1 file indexed in [\d.]+ s; 3 unchanged, 1 of other formats skipped\.$/);
    expect((await ply(['search', 'clockwork'])).output).toMatch(/winds the \[clockwork\]/);
  });

  it('registers files again that stopped for an external reason', async () => {
    write('again/buoy.txt', 'The bell buoy marks the channel.\n');
    await ply(['add', 'again']);
    const { items } = await program.standard.get<{ items: { assetId: string; externalId: string }[] }>(
      200,
      'GET',
      '/api/content/v1/activity?q=buoy.txt',
    );
    // Its temporary source is closed: the file cannot be read again, so the job does not become ready.
    const { jobId } = await program.standard.get<{ jobId: string }>(
      202,
      'POST',
      `/api/content/v1/assets/${items[0]?.assetId}/reindex`,
      { headers: { 'Idempotency-Key': 'buoy' } },
    );
    await program.standard.reaches(jobId, 'failed');
    expect((await ply(['add', 'again'])).output).toMatch(/^1 file indexed in [\d.]+ s; 0 unchanged/);
  });

  it('cancels unfinished jobs when it is stopped, and continues later', async () => {
    for (let number = 0; number < 200; number++) write(`many/${number}.txt`, `buoy ${number}\n`.repeat(50));
    const stopping = new AbortController();
    const stopped = ply(['add', 'many'], stopping.signal);
    for (;;) {
      const { items } = await program.standard.get<{ items: unknown[] }>(
        200,
        'GET',
        '/api/content/v1/activity?q=0.txt',
      );
      if (items.length > 0) break;
    }
    stopping.abort();
    const { code, errors } = await stopped;
    expect({ code, errors }).toEqual({
      code: 1,
      errors: expect.stringMatching(/\nStopped: \d+ jobs cancelled\. Run the same command to continue\.$/),
    });
    const { output } = await ply(['add', 'many']);
    const [, indexed, unchanged] =
      /^(\d+) files indexed in [\d.]+ s; (\d+) unchanged, 0 of other formats skipped\.$/.exec(output) ?? [];
    expect(Number(indexed) + Number(unchanged)).toBe(200);
    const { items } = await program.standard.get<{ items: unknown[] }>(
      200,
      'GET',
      '/api/content/v1/activity?state=cancelled',
    );
    expect(items).toEqual([]);
  });

  it('has clear error messages', async () => {
    expect(await ply(['add', 'nowhere'])).toEqual({
      code: 1,
      output: '',
      errors: expect.stringMatching(/^.*nowhere cannot be read: ENOENT[^\n]*$/),
    });
    expect(await ply(['add'])).toMatchObject({
      code: 1,
      errors: 'Missing what to index: npm run ply -- add <folder|file|URL>...',
    });
    expect(await ply(['search'])).toMatchObject({
      code: 1,
      errors: 'Missing the query: npm run ply -- search "<words>"',
    });
    const nothing = expect.stringMatching(
      /^0 files indexed in .*\n1 not registered, it does not respond \(.*\)\n {4}http:\/\/127\.0\.0\.1:9\/a\.pdf$/,
    );
    expect(await ply(['add', 'http://127.0.0.1:9/a.pdf'])).toEqual({ code: 1, output: '', errors: nothing });
  });

  it('lists jobs, optionally by state', async () => {
    expect((await ply(['jobs', 'failed'])).output).toMatch(
      /^file registered +job changed +state .*\n\S+Z {2}\S+Z {2}failed .* text_encoding_must_be_utf8 .* latin1\.txt$/,
    );
    expect((await ply(['jobs', 'embedding'])).output).toBe('No files whose job is embedding.');
    expect(await ply(['jobs', 'done'])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^Unknown state done\. States: queued, extracting, /),
    });
  });

  it('reports a healthy program', async () => {
    const { code, output } = await ply(['doctor']);
    expect(output).toMatch(new RegExp(`ok +the program at ${program.url} is ready`));
    expect(code).toBe(0);
    const other = commandLine({ PLY_DATA_DIR: join(program.folder, 'data'), PLY_API_URL: 'http://127.0.0.1:9' });
    expect(await other(['doctor'])).toMatchObject({ code: 1, output: expect.stringContaining('broken    no program') });
  });

  it('lists its commands', async () => {
    for (const words of [[], ['help'], ['--help'], ['-h']])
      expect(await ply(words)).toMatchObject({
        code: 0,
        output: expect.stringContaining('npm run ply -- <command>'),
        errors: '',
      });
    for (const option of ['--help', '-h'])
      expect(await ply(['keys', option])).toEqual({
        code: 0,
        output: expect.stringMatching(/^npm run ply -- keys \[list\].*\n.*--expires/),
        errors: '',
      });
    expect(await ply(['nonsense'])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('Unknown command: nonsense.'),
    });
  });
});

describe('the startup banner', () => {
  it('names a data folder that is not the default', () => {
    expect(readFileSync(program.logFile, 'utf8')).toContain(
      `Try in another terminal, in this folder:\n  export PLY_DATA_DIR='${join(program.folder, 'data')}'\n`,
    );
  });

  it('contains commands that work as printed', async () => {
    const printed = readFileSync(program.logFile, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('  curl '));
    expect(printed.length).toBe(3);
    for (const line of printed) {
      const headers = [...line.matchAll(/ -H '([^:]+): ([^']+)'/g)].map(
        ([, name = '', value = '']): [string, string] => [name, value],
      );
      const body = / -d '([^']+)'$/.exec(line)?.[1];
      const answer = await fetch(/^ {2}curl (\S+)/.exec(line)?.[1] ?? '', {
        headers,
        ...(body === undefined ? {} : { method: 'POST', body }),
      });
      expect([line, answer.status]).toEqual([line, 200]);
    }
  });
});

describe('ply keys', () => {
  it('uses the running program', async () => {
    const { output } = await ply(['keys']);
    expect(output).toMatch(/ admin +active .*First admin key$/m);
    expect(output).toMatch(/ standard +active .*First standard key$/m);
    expect(await ply(['keys', 'create', 'standard'])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^Two API keys/),
    });
  });

  it('uses the data folder of a stopped program', async () => {
    await program.process.stop();
    const { output: keys } = await ply(['keys']);
    const standard = /^(\S+) .* standard /m.exec(keys)?.[1];
    expect((await ply(['keys', 'deactivate', standard ?? ''])).output).toMatch(/standard +inactive/);
    expect(await ply(['keys', 'create', 'standard', 'for', 'the', 'ship'])).toMatchObject({
      code: 0,
      errors: '',
      output: expect.stringMatching(/The key, which is only shown now: ply_[\w-]{40,}$/),
    });
    expect(await ply(['keys', 'deactivate', 'nothing'])).toMatchObject({ code: 1, errors: 'there is no key nothing' });
    await program.start();
    const lines = (await ply(['keys'])).output;
    expect(lines).toMatch(/ admin +active .*First admin key$/m);
    expect(lines).toMatch(/standard +active .*for the ship$/m);
    // The command line uses the first standard key, which is refused now.
    expect(await ply(['jobs'])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/401 invalid_api_key.*PLY_API_KEY/),
    });
  });
});
