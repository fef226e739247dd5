import type { Embeddings } from '../../adapters/embeddings/port.ts';
import { shippedRelevance } from '../../models/relevance/registry.ts';
import { scopeOf } from '../../models/scope.ts';
import { openQueryVectors } from './query-vectors.ts';

const scope = scopeOf('o');
const [relevance] = shippedRelevance();
const graded = (unrelatedCosine?: number) => {
  if (relevance === undefined) throw new Error('no relevance file is shipped');
  const further = [{ ...relevance, modelId: 'all', ...(unrelatedCosine === undefined ? {} : { unrelatedCosine }) }];
  return { ...relevance, modelId: 'english', further };
};

function never(): Promise<never> {
  return Promise.reject(new Error('was asked'));
}

function modelOf(
  id: string,
  languages: string[] | null,
  embed: Embeddings['embed'] = async (texts) => texts.map(() => Float32Array.of(1, 0)),
): Embeddings {
  return { model: { id, dimensions: 2, languages }, absence: null, embed, ping: never, close: never };
}

describe('the vectors of a query', () => {
  let failures: number;
  const onFailure = (): void => {
    failures += 1;
  };
  beforeEach(() => {
    failures = 0;
  });

  function vectorsOf(
    embeddings: Embeddings,
    held: Readonly<Record<string, boolean>>,
    sample: Float32Array[] = [],
    unrelatedCosine?: number,
  ) {
    let asked = 0;
    const vectors = openQueryVectors(
      embeddings,
      {
        holdsVectors: async (_scope, models) => {
          asked += 1;
          return models.map(({ id }) => held[id] === true);
        },
        sampleVectors: async () => sample,
      },
      graded(unrelatedCosine),
    );
    return { vectors, asked: () => asked };
  }

  it('are those of the models of which the library has vectors', async () => {
    const both = { ...modelOf('english', ['en']), further: [modelOf('all', null)] };
    const cases = [
      [{ english: true, all: true }, ['english', 'all']],
      [{ english: true }, ['english']],
      [{ all: true }, ['all']],
      [{}, []],
    ] as const;
    for (const [held, expected] of cases) {
      const { vectors } = vectorsOf(both, held);
      expect((await vectors.of(scope, 'pumps', onFailure)).map(({ model }) => model)).toEqual(expected);
    }
    expect(failures).toBe(0);
  });

  it('leave out models that cannot read the query', async () => {
    const both = { ...modelOf('english', ['en'], never), further: [modelOf('all', null)] };
    const { vectors } = vectorsOf(both, { english: true, all: true });
    expect((await vectors.of(scope, 'насос', onFailure)).map(({ model }) => model)).toEqual(['all']);
    expect(failures).toBe(0);
  });

  it('leave out a model that fails, and say so', async () => {
    const both = { ...modelOf('english', ['en']), further: [modelOf('all', null, never)] };
    const { vectors } = vectorsOf(both, { english: true, all: true });
    expect((await vectors.of(scope, 'pumps', onFailure)).map(({ model }) => model)).toEqual(['english']);
    expect(failures).toBe(1);
  });

  it('ask which models the library has once in a while, and after a change at once', async () => {
    const both = { ...modelOf('english', ['en']), further: [modelOf('all', null)] };
    const held = { english: true, all: false };
    const { vectors, asked } = vectorsOf(both, held);
    await vectors.of(scope, 'pumps', onFailure);
    held.all = true;
    expect(await vectors.of(scope, 'pumps', onFailure)).toHaveLength(1);
    expect(asked()).toBe(1);
    vectors.invalidate('o');
    expect(await vectors.of(scope, 'pumps', onFailure)).toHaveLength(2);
  });

  it('carry what the mean cosine with the library exceeds the usual one by, hardly anything for few passages', async () => {
    const both = { ...modelOf('english', ['en']), further: [modelOf('all', null)] };
    const sample = (count: number) => Array.from({ length: count }, () => Float32Array.of(0.6, 0.8));
    const held = { english: true, all: true };
    const excessesOf = async (vectors: ReturnType<typeof vectorsOf>['vectors']) =>
      (await vectors.of(scope, 'pumps', onFailure)).map(({ excess }) => excess);
    const [none, many] = await excessesOf(vectorsOf(both, held, sample(256), 0.5).vectors);
    expect(none).toBe(0);
    expect(many).toBeCloseTo((0.6 * 256 + 0.5 * 30) / 286 - 0.5, 6);
    expect((await excessesOf(vectorsOf(both, held, sample(1), 0.5).vectors))[1]).toBeCloseTo(0.0032, 3);
    expect((await excessesOf(vectorsOf(both, held, [], 0.5).vectors))[1]).toBe(0);
    expect((await excessesOf(vectorsOf(both, held, sample(256), 0.8).vectors))[1]).toBe(0);
    expect(await excessesOf(vectorsOf(both, held, sample(256)).vectors)).toEqual([0, 0]);
  });
});
