import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Sha256 } from '../../packages/client/src/index.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';

describe('@ply/client', () => {
  it('has the types and operations of the OpenAPI document, as `node scripts/make-client.ts` writes them', () => {
    // A process of its own: the generator is not made for the test runner's modules.
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/make-client.ts', '--check'], {
      cwd: projectRoot,
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it('has the version of the program, and no dependencies', () => {
    const read = (path: string): Record<string, unknown> => JSON.parse(readFileSync(join(projectRoot, path), 'utf8'));
    const { version, dependencies } = read('packages/client/package.json');
    expect([version, dependencies]).toEqual([read('package.json')['version'], undefined]);
  });

  it('computes SHA-256 of bytes in pieces of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), (pieces) => {
        const hash = new Sha256();
        for (const piece of pieces) hash.update(piece);
        expect(hash.hex()).toBe(createHash('sha256').update(Buffer.concat(pieces)).digest('hex'));
      }),
    );
  });
});
