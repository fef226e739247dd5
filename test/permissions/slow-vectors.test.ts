import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddingsDouble } from '../../adapters/embeddings/openai/test-server.ts';
import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import type { Step } from './file.ts';
import { openWorlds, permissionDrops, recordingsOf } from './stage.ts';

/** Responds to some requests immediately, and to others after the duration of one or more grants. */
class Slow extends EmbeddingsDouble {
  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.seen.length % 3 > 0) await pause((this.seen.length * 37) % 150);
    await super.answer(request, response);
  }
}

const slow = new Slow(384);
let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram({ PLY_EMBEDDINGS_URL: await slow.start(), PLY_EMBEDDINGS_LANGUAGES: '*' });
});
afterAll(async () => {
  await program.end();
  await slow.stop();
});

it('grants and revocations apply to searches that wait for their vectors', async () => {
  const [world] = await openWorlds(program, recordingsOf(program), 'axolotl', 1);
  const toggled: Step[] = [['Ann'], [], ['ann', 'group:staff'], null].map((principals) => ({
    do: 'permit',
    open: principals === null,
    principals: principals ?? [],
  }));
  const scripts = world!.library.files.map((_, index): Step[] => [
    { do: 'register', principals: ['Ann'] },
    { do: 'wait' },
    ...Array.from({ length: 12 }, (__, turn): Step[] => [
      toggled[(turn + index) % toggled.length]!,
      ...(turn % 8 === index ? [{ do: 'reindex' as const }] : []),
    ]).flat(),
  ]);
  await world!.run(scripts, [['Ann'], undefined, ['ann'], ['group:staff', 'unknown'], []]);
  console.log(
    `${world!.checked.duringChanges} responses during changes, ${world!.checked.atRest} at rest; ${slow.seen.length} texts embedded`,
  );
  expect(world!.checked.duringChanges).toBeGreaterThan(20);
  expect(slow.seen.length).toBeGreaterThan(20);
  expect(await permissionDrops(program.metricsUrl)).toBe('0');
});
