import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardedClient } from '../../../mixins/guarded-client/client.ts';
import { failureOf } from '../../../mixins/indexing/failure.ts';
import type { StageResult } from '../../../mixins/indexing/stage.ts';
import type { Asset } from '../../../models/asset.ts';
import type { Sound } from '../../../models/transcript.ts';
import { testAsset } from '../../../test/support/asset.ts';
import { testApp, type TestApp } from '../../../test/support/app.ts';
import { extractRevision } from '../extract-revision.ts';
import type { ExtractionPool } from '../processes/pool.ts';
import { WorkFolder } from '../../../mixins/work-folder.ts';
import { recordingTools } from '../tools.ts';
import { slideToolbox } from '../slides/toolbox.ts';

/** The extracting stage over embedded stores, without a broker. */
export interface TestStage {
  test: TestApp;
  /** Runs the stage for an asset with these fields. */
  run(fields: Partial<Asset>, signal?: AbortSignal): Promise<StageResult>;
  /** Runs the stage and answers how it failed: code and outcome; null if it did not. */
  failure(fields: Partial<Asset>): Promise<{ code: string; outcome: string } | null>;
  /** What was written: `sound.json`. */
  sound(assetId?: string): Promise<Sound>;
  /** A blob of the asset's first revision. */
  blob(name: string, assetId?: string): Promise<Buffer>;
  /** Names of all blobs of the asset's first revision, sorted. */
  names(assetId?: string): Promise<string[]>;
  /** Files that are left in the work folder. */
  leftovers(): string[];
  close(): Promise<void>;
}

/** No test of recordings reads documents. */
const noPool: ExtractionPool = {
  extract: () => {
    throw new Error('no document is read');
  },
  confinement: () => Promise.resolve({ prefix: [], used: [], network: 'none' }),
  close: () => Promise.resolve(),
};

/** Opens the stage with some settings of the configuration. */
export async function openStage(settings: { [variable: string]: string } = {}): Promise<TestStage> {
  const test = await testApp({ PLY_PRIVATE_NETWORKS: 'allow', ...settings });
  const { app } = test;
  const client = guardedClient({
    privateNetworks: 'allow',
    limits: { headersMs: 2000, idleMs: 2000, throughputMs: 1500 },
  });
  const folder = new WorkFolder(mkdtempSync(join(tmpdir(), 'ply-media-')), 'node');
  await folder.make();
  const slides = slideToolbox(app.configuration);
  const run: TestStage['run'] = (fields, signal = new AbortController().signal) =>
    extractRevision(
      {
        app,
        client,
        readAddress: () => Promise.reject(new Error('no connectors here')),
        trustingClient: client,
        pool: noPool,
        ...recordingTools(app.configuration),
        slides,
        folder,
      },
      {
        asset: testAsset({ kind: 'audio', ...fields }),
        signal,
        progress: () => undefined,
        setFailureOutbox: () => undefined,
      },
    );
  const blob: TestStage['blob'] = async (name, assetId = 'asset') => {
    const pieces: Uint8Array[] = [];
    for await (const piece of app.blobs.read(`derived/organization/${assetId}/1/${name}`)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  return {
    test,
    run,
    blob,
    failure: async (fields) => {
      try {
        await run(fields);
        return null;
      } catch (error) {
        return failureOf(error);
      }
    },
    sound: async (assetId) => JSON.parse((await blob('sound.json', assetId)).toString('utf8')) as Sound,
    names: async (assetId = 'asset') => {
      const names: string[] = [];
      for await (const { key } of app.blobs.list(`derived/organization/${assetId}/1/`))
        names.push(key.split('/').pop() ?? '');
      return names.toSorted();
    },
    leftovers: () => readdirSync(folder.path),
    close: async () => {
      await client.close();
      await folder.remove();
      await test.close();
    },
  };
}
