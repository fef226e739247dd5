import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram, type Outcome } from '../../../scripts/setup/system.ts';
import { kubeconform, schemas } from './tools.ts';

/** Checks manifests against the schemas of Kubernetes and of the custom kinds; kubeconform's summary is the output. */
export type Validate = (manifests: string) => Promise<Outcome>;

/** The validator of manifests, or why it is not available here. */
export async function manifestValidator(): Promise<Validate | { unavailable: string }> {
  const [program, folder] = await Promise.all([kubeconform(), schemas()]);
  if ('unavailable' in program) return program;
  if ('unavailable' in folder) return folder;
  return async (manifests) => {
    const work = mkdtempSync(join(tmpdir(), 'ply-manifests-'));
    try {
      writeFileSync(join(work, 'manifests.yaml'), manifests);
      return await runProgram(program.path, [
        '-strict',
        '-summary',
        '-schema-location',
        join(dirname(folder.path), '{{.ResourceKind}}{{.KindSuffix}}.json'),
        join(work, 'manifests.yaml'),
      ]);
    } finally {
      rmSync(work, { recursive: true });
    }
  };
}

/** What the validator says of so many manifests without a mistake. */
export function allValid(count: number): Outcome {
  return { ok: true, output: expect.stringContaining(`Valid: ${count}, Invalid: 0, Errors: 0, Skipped: 0`) as string };
}
