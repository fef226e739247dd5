import { join } from 'node:path';
import { openFolderBlobs } from '../../../adapters/blobs/folder.ts';
import { openSqliteRecords } from '../../../adapters/records/sqlite/records.ts';
import { collections } from '../../../app/collections.ts';
import { derivedKey, writeBlocks } from '../../../mixins/blocks/blocks.ts';
import { newRun } from '../../../mixins/indexing/runs.ts';
import { writeTranscript } from '../../../mixins/transcript/transcript.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { assets, type Asset } from '../../../models/asset.ts';
import type { Block } from '../../../models/block.ts';
import type { Accepted } from '../../../models/api.ts';
import { scopeOf } from '../../../models/scope.ts';
import { derivedNames, type Segment } from '../../../models/transcript.ts';
import { testAsset } from '../../support/asset.ts';
import type { TestProgram } from './program.ts';

/** A transcribed recording that is not yet indexed. */
export interface TranscribedRecording {
  /** Null: no speech. */
  segments: Segment[] | null;
  slides?: Block[];
  fields?: Partial<Asset>;
}

/**
 * Writes recordings into a program's stores as the transcriber does, and restarts the program, so that tests need
 * neither sound nor a speech model.
 */
export async function serveRecordings(
  program: TestProgram,
  recordings: readonly TranscribedRecording[],
): Promise<Accepted[]> {
  await program.process.stop();
  const folder = join(program.folder, 'data');
  const blobs = await openFolderBlobs({ folder: join(folder, 'blobs'), runtime: systemRuntime });
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  await records.prepare(collections);
  const placed: Accepted[] = [];
  const { organizationId } = program;
  for (const { segments, slides, fields } of recordings) {
    const [assetId, jobId] = [systemRuntime.uuid(), systemRuntime.uuid()];
    const keyOf = (name: string): string => derivedKey(organizationId, assetId, 1, name);
    if (segments !== null) await writeTranscript(blobs, keyOf(derivedNames.transcript), segments);
    if (slides !== undefined) await writeBlocks(blobs, keyOf(derivedNames.slides), streamed(slides));
    const now = systemRuntime.now();
    await records.collection(assets, scopeOf(organizationId)).insert(
      testAsset({
        _id: assetId,
        organizationId,
        filename: 'talk.mp3',
        kind: 'audio',
        sourceUrl: `https://files.example.com/${assetId}.mp3`,
        sourceVersion: '"1"',
        createdAt: now,
        updatedAt: now,
        run: { ...newRun(jobId, 1, now), stage: 'embedding' },
        ...fields,
      }),
    );
    placed.push({ assetId, jobId, revision: 1 });
  }
  await records.close();
  await blobs.close();
  await program.start();
  return placed;
}

async function* streamed<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}
