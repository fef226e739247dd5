import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Case } from './judge.ts';
import { joinParts, readPart } from './parts.ts';

const passed = (name: string): Case => ({ name, outcome: 'passed', reason: '' });

it('parts of a suite are one verdict when all have been run, each as it was run last', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-judge-'));
  const path = join(folder, 'judge', 'suite.json');
  try {
    expect(joinParts(path, { number: 2, of: 2 }, [passed('old')])).toBeNull();
    expect(joinParts(path, { number: 2, of: 2 }, [passed('two')])).toBeNull();
    expect(joinParts(path, { number: 1, of: 3 }, [passed('other')])).toBeNull();
    expect(joinParts(path, { number: 1, of: 2 }, [passed('one')])).toEqual([passed('one'), passed('two')]);
    expect(existsSync(path)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a part is its number and how many there are', () => {
  expect(readPart('2/3')).toEqual({ number: 2, of: 3 });
  for (const text of ['0/3', '4/3', '3', 'a/b']) expect(() => readPart(text)).toThrow('a part is');
});
