import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript, type K6Summary } from './k6.ts';

const summary: K6Summary = { metrics: {}, state: { testRunDurationMs: 1 } };

/** Runs a program in place of k6 that writes a summary, or none, and ends with a code. */
async function runWith(code: number, written: string): Promise<K6Summary> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-k6-test-'));
  const path = join(folder, 'k6');
  try {
    writeFileSync(path, `#!/bin/sh\n${written === '' ? '' : `printf '%s' '${written}' > "$SUMMARY"\n`}exit ${code}\n`);
    chmodSync(path, 0o755);
    const { signal } = new AbortController();
    return await runScript(path, { name: 'spike', environment: {}, signal, onStart: () => undefined });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a script that k6 runs', () => {
  it('has a summary, also where a threshold is missed', async () => {
    expect(await runWith(0, JSON.stringify(summary))).toEqual(summary);
    expect(await runWith(99, JSON.stringify(summary))).toEqual(summary);
  });

  it('is no result where it was not run to its end', async () => {
    await expect(runWith(101, JSON.stringify(summary))).rejects.toThrow('to its end: it exited with 101');
    await expect(runWith(107, '')).rejects.toThrow('wrote no summary of spike');
  });
});
