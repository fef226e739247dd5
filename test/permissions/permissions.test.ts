import { startTestProgram, type TestProgram } from '../api/support/program.ts';
import type { Step } from './file.ts';
import { missingOperations, operations } from './operations.ts';
import { openWorlds, permissionDrops, recordingsOf, runChanges } from './stage.ts';

/** `npm run test:permissions` makes more runs, with other seeds. */
const runs = Number(process.env['PLY_PERMISSION_RUNS'] ?? 4);
const seed = Number(process.env['PLY_PERMISSION_SEED'] ?? 4711);

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

it('every operation with reader principals is tested', () => {
  expect(missingOperations()).toEqual([]);
  expect(operations.length).toBeGreaterThanOrEqual(10);
});

it('grants and revocations apply to every search after their response', async () => {
  const [world] = await openWorlds(program, recordingsOf(program), 'axolotl', 1);
  const toggled: Step[] = [['Ann'], [], ['ann', 'group:staff'], null].map((principals) => ({
    do: 'permit',
    open: principals === null,
    principals: principals ?? [],
  }));
  const scripts = world!.library.files.map((_, index): Step[] => [
    { do: 'register', principals: ['Ann'] },
    { do: 'wait' },
    ...Array.from({ length: 20 }, (__, turn): Step[] => [
      toggled[(turn + index) % toggled.length]!,
      ...(turn % 8 === index ? [{ do: 'reindex' as const }] : []),
    ]).flat(),
  ]);
  await world!.run(scripts, [['Ann'], undefined, ['ann'], ['group:staff', 'unknown'], []]);
  console.log(`${world!.checked.duringChanges} responses during changes, ${world!.checked.atRest} at rest`);
  expect(world!.checked.duringChanges).toBeGreaterThan(20);
});

it(
  'each reader sees exactly the permitted files during and after random changes',
  async () => {
    const worlds = await openWorlds(program, recordingsOf(program), 'quokka', 2);
    const checked = await runChanges(worlds, { runs, seed });
    console.log(
      `${runs} runs with seed ${seed}: ${checked.duringChanges} responses during changes, ${checked.atRest} at rest`,
    );
    expect(checked.duringChanges).toBeGreaterThan(runs);
    expect(await permissionDrops(program.metricsUrl)).toBe('0');
  },
  60_000 + runs * 30_000,
);
