import { describeWithServers } from '../support/servers.ts';
import { modelIsInstalled, startTestProgram } from '../api/support/program.ts';
import { openWorlds, permissionDrops, recordingsOf, runChanges } from './stage.ts';

const runs = Number(process.env['PLY_PERMISSION_MILVUS_RUNS'] ?? 1);
const seed = Number(process.env['PLY_PERMISSION_SEED'] ?? 815);

await describeWithServers('with passages in Milvus', ['milvus'], ({ milvus }) => {
  it(
    'each reader sees exactly the permitted files, by words and by meaning',
    async () => {
      const program = await startTestProgram({
        PLY_MILVUS_URL: milvus.url,
        PLY_MILVUS_COLLECTION: `permissions_${process.pid}`,
        ...(modelIsInstalled ? { PLY_EMBEDDING_THREADS: '1' } : {}),
      });
      try {
        const worlds = await openWorlds(program, recordingsOf(program), 'wombat', 2);
        const checked = await runChanges(worlds, { runs, seed });
        console.log(
          `Milvus, ${runs} runs with seed ${seed}: ${checked.duringChanges} responses during changes, ${checked.atRest} at rest`,
        );
        expect(checked.atRest).toBeGreaterThan(runs);
        expect(await permissionDrops(program.metricsUrl)).toBe('0');
      } finally {
        await program.end();
      }
    },
    90_000 + runs * 60_000,
  );
});
