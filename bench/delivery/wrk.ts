import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../scripts/setup/system.ts';

/** What is asked for: the targets in turns, with these headers. */
export interface Load {
  port: number;
  targets: readonly string[];
  headers: { readonly [name: string]: string };
  /** Connections that ask one after another. */
  connections: number;
  seconds: number;
}

/** Asks with wrk. Returns the number of answers. @throws if one of them is no 2xx */
export async function runWrk({ port, targets, headers, connections, seconds }: Load): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-wrk-'));
  try {
    const script = join(folder, 'load.lua');
    const list = (texts: readonly string[]): string => texts.map((text) => JSON.stringify(text)).join(', ');
    writeFileSync(
      script,
      `local targets = { ${list(targets)} }
local next = 0
${Object.entries(headers)
  .map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
  .join('\n')}
local requests = {}
init = function() for index, target in ipairs(targets) do requests[index] = wrk.format("GET", target) end end
request = function() next = next % #requests + 1; return requests[next] end
`,
    );
    const outcome = await runProgram('wrk', [
      ...['-t', '1', '-c', String(connections), '-d', `${seconds}s`, '-s', script],
      `http://127.0.0.1:${port}`,
    ]);
    if (!outcome.ok) throw new Error(outcome.reason);
    const [, answers] = /(\d+) requests in/.exec(outcome.output) ?? [];
    if (answers === undefined || /Non-2xx|Socket errors/.test(outcome.output))
      throw new Error(`wrk reported:\n${outcome.output}`);
    return Number(answers);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
