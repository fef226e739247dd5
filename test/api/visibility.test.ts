import fc from 'fast-check';
import { content, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
beforeAll(async () => {
  program = await startTestProgram();
});
afterAll(() => program.end());

/** A change of a file. Principals are numbers; file and names are derived from them. */
type Step =
  | { do: 'register'; file: number; principals: number[] | null }
  | { do: 'permit'; file: number; mode: 'open' | 'restricted'; principals: number[] }
  | { do: 'remove'; file: number }
  | { do: 'renew'; file: number; principals: number[] | null }
  | { do: 'label'; file: number; label: number };

interface Known {
  assetId: string;
  open: boolean;
  principals: Set<number>;
  label: number | null;
}

const files = 6;
const anyFile = fc.nat({ max: files - 1 });
const anyPrincipals = fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 4 });
const perhaps = fc.option(anyPrincipals);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('register' as const), file: anyFile, principals: perhaps }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('permit' as const),
      file: anyFile,
      mode: fc.constantFrom('open' as const, 'restricted' as const),
      principals: anyPrincipals,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), file: anyFile }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const), file: anyFile, principals: perhaps }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('label' as const), file: anyFile, label: fc.nat({ max: 2 }) }) },
);

const nameOf = (principal: number): string =>
  ['group:staff', 'Ann', 'ann', 'group:staff ', '\u{1f600}'][principal] ?? 'nobody';
/** Readers: none, an empty list, an unknown one, each alone, several, and very many. */
const readers: (string[] | undefined)[] = [
  undefined,
  [],
  ['unknown'],
  ...[0, 1, 2, 3, 4].map((principal) => [nameOf(principal)]),
  [nameOf(0), nameOf(4)],
  ['unknown', nameOf(2)],
  [...Array.from({ length: 998 }, (_, at) => `many ${at}`), nameOf(1), nameOf(3)],
];

let round = 0;

/** A separate organization, and a model of what must be visible in it. */
class World {
  readonly client: Client;
  readonly known = new Map<number, Known>();
  private readonly word: string;
  private version = 0;

  constructor(client: Client, word: string) {
    this.client = client;
    this.word = word;
  }

  private async register(file: number, principals: number[] | null): Promise<string> {
    this.version += 1;
    const name = `${this.word}-${file}-${this.version}.txt`;
    // All files have the same text: they differ in permissions only.
    const reference = program.source.put(name, `the ${this.word} is here`, { etag: `"${name}"` });
    const { assetId } = await this.client.indexed({
      externalId: `file ${file}`,
      ...reference,
      ...(principals === null ? {} : { principals: principals.map(nameOf) }),
    });
    return assetId;
  }

  async take(step: Step): Promise<void> {
    const known = this.known.get(step.file);
    if (step.do === 'register' || step.do === 'renew') {
      if ((known === undefined) !== (step.do === 'register')) return;
      const assetId = await this.register(step.file, step.principals);
      const before = known ?? { assetId, open: true, principals: new Set<number>(), label: null };
      expect(assetId).toBe(before.assetId);
      this.known.set(
        step.file,
        step.principals === null
          ? before
          : { ...before, open: step.principals.length === 0, principals: new Set(step.principals) },
      );
      return;
    }
    if (known === undefined) return;
    const path = `${content}/assets/${known.assetId}`;
    if (step.do === 'remove') {
      await this.client.get(202, 'DELETE', path);
      this.known.delete(step.file);
    } else if (step.do === 'label') {
      await this.client.get(200, 'PUT', `${path}/metadata`, { body: { metadata: { label: step.label } } });
      known.label = step.label;
    } else {
      const open = step.mode === 'open';
      await this.client.get(200, 'PUT', `${path}/permissions`, {
        body: open ? { mode: 'open' } : { mode: 'restricted', principals: step.principals.map(nameOf) },
      });
      known.open = open;
      known.principals = new Set(open ? [] : step.principals);
    }
  }

  private visible(reader: string[] | undefined, label: number | null): string[] {
    const sees = ({ open, principals }: Known): boolean =>
      open || [...principals].some((principal) => reader?.includes(nameOf(principal)) === true);
    return [...this.known.values()]
      .filter((file) => sees(file) && (label === null || file.label === label))
      .map(({ assetId }) => assetId)
      .sort();
  }

  /** Searches as all readers, and checks that exactly the visible files are found and counted. */
  async check(): Promise<void> {
    await Promise.all(
      readers.map(async (reader) => {
        const principals = reader === undefined ? {} : { principals: reader };
        const wanted = this.visible(reader, null);
        const flat = await this.client.search({ query: this.word, limit: 100, ...principals });
        expect(flat.items.map(({ assetId }) => assetId).sort()).toEqual(wanted);
        expect({ weak: flat.withheldAsWeak, more: flat.hasMore, terms: flat.terms }).toEqual({
          weak: 0,
          more: false,
          terms: wanted.length === 0 ? [] : [this.word],
        });
        const grouped = await this.client.search({ query: this.word, group: 'file', limit: 100, ...principals });
        expect(grouped.items.map(({ assetId, momentCount }) => [assetId, momentCount]).sort()).toEqual(
          wanted.map((assetId) => [assetId, 1]),
        );
        const first = await this.client.search({ query: this.word, limit: 1, ...principals });
        expect({ found: first.items.length, more: first.hasMore }).toEqual({
          found: Math.min(1, wanted.length),
          more: wanted.length > 1,
        });
        const labelled = await this.client.search({
          query: this.word,
          filter: { metadata: { label: [1, 2] } },
          ...principals,
        });
        expect(labelled.items.map(({ assetId }) => assetId).sort()).toEqual(
          [...this.visible(reader, 1), ...this.visible(reader, 2)].sort(),
        );
        if (reader === undefined || reader.length > 100) return;
        const query = `?asReader=true${reader.map((name) => `&principals=${encodeURIComponent(name)}`).join('')}`;
        const { items } = await this.client.get<{ items: { assetId: string }[] }>(
          200,
          'GET',
          `${content}/activity${query}&limit=100`,
        );
        expect(items.map(({ assetId }) => assetId).sort()).toEqual(wanted);
        for (const { assetId } of this.known.values()) {
          const { status } = await this.client.ask('GET', `${content}/assets/${assetId}${query}`);
          expect([assetId, status]).toEqual([assetId, wanted.includes(assetId) ? 200 : 404]);
        }
      }),
    );
  }
}

it('each reader finds exactly the permitted files after random changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 6, maxLength: 14 }), async (steps) => {
      round += 1;
      const { id } = await program.admin.createOrganization(`world ${round}`);
      const world = new World(
        program.standard.as(id),
        `quokka${'abcdefghij'[round % 10]}${'abcdefghij'[Math.floor(round / 10) % 10]}z`,
      );
      for (const step of steps) {
        await world.take(step);
        await world.check();
      }
    }),
    { numRuns: 8, seed: 4711, endOnFailure: true },
  );
  const metrics = await (await fetch(`${program.metricsUrl}/metrics`)).text();
  expect(/^ply_permission_drops_total (\d+)/m.exec(metrics)?.[1]).toBe('0');
});

it('restricted files do not change the results and relevance of other readers', async () => {
  const { id } = await program.admin.createOrganization('grades');
  const client = program.standard.as(id);
  await client.indexed({ ...program.source.put('seen.txt', 'the capybara swims'), externalId: 'seen' });
  const alone = await client.search({ query: 'capybara swims' });
  for (let at = 0; at < 20; at += 1)
    await client.indexed({ ...program.source.put(`hidden-${at}.txt`, `capybara swims ${at}`), principals: ['secret'] });
  const { items, withheldAsWeak, hasMore } = await client.search({ query: 'capybara swims' });
  expect({ found: items.map(({ assetId }) => assetId), withheldAsWeak, hasMore }).toEqual({
    found: alone.items.map(({ assetId }) => assetId),
    withheldAsWeak: 0,
    hasMore: false,
  });
  expect((await client.search({ query: 'capybara swims', principals: ['secret'], limit: 100 })).items).toHaveLength(21);
});
