import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import type { Step } from './file.ts';
import { forgotten, operations } from './operations.ts';
import { openWorlds, permissionDrops, recordingsOf, runLives } from './stage.ts';

/** `npm run test:permissions` makes more lives, and other ones each time. */
const runs = Number(process.env['PLY_PERMISSION_RUNS'] ?? 4);
const seed = Number(process.env['PLY_PERMISSION_SEED'] ?? 4711);

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

it('every operation that is asked as a reader is tested', () => {
  expect(forgotten()).toEqual([]);
  expect(operations.length).toBeGreaterThanOrEqual(10);
});

it('a grant and a revocation hold for every search that starts after their answer', async () => {
  const [world] = await openWorlds(program, recordingsOf(program), 'axolotl', 1);
  const toggled: Step[] = [['Ann'], [], ['ann', 'group:staff'], null].map((principals) => ({
    do: 'permit',
    open: principals === null,
    principals: principals ?? [],
  }));
  const scripts = world!.place.files.map((_, place): Step[] => [
    { do: 'register', principals: ['Ann'] },
    { do: 'wait' },
    ...Array.from({ length: 20 }, (__, turn): Step[] => [
      toggled[(turn + place) % toggled.length]!,
      ...(turn % 8 === place ? [{ do: 'reindex' as const }] : []),
    ]).flat(),
  ]);
  await world!.live(scripts, [['Ann'], undefined, ['ann'], ['group:staff', 'unknown'], []]);
  console.log(`${world!.judged.stormy} answers while something changed, ${world!.judged.quiet} in peace`);
  expect(world!.judged.stormy).toBeGreaterThan(20);
});

it(
  'whatever is granted, revoked, renewed or removed, while or before somebody asks, each reader is shown exactly what it may see',
  async () => {
    const worlds = await openWorlds(program, recordingsOf(program), 'quokka', 2);
    const judged = await runLives(worlds, { runs, seed });
    console.log(
      `${runs} lives with seed ${seed}: ${judged.stormy} answers while something changed, ${judged.quiet} in peace`,
    );
    expect(judged.stormy).toBeGreaterThan(runs);
    expect(await permissionDrops(program.metricsUrl)).toBe('0');
  },
  60_000 + runs * 30_000,
);
