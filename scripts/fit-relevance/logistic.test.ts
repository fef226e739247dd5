import { fitLine, type Observation } from './logistic.ts';

/** Observations of a known law, made without chance: each point counts for both classes by its probability. */
function ofLaw(law: (features: number[]) => number): Observation[] {
  const observations: Observation[] = [];
  for (let x = -2; x <= 2; x += 0.25) {
    for (let y = -2; y <= 2; y += 0.25) {
      const probability = 1 / (1 + Math.exp(-law([x, y])));
      observations.push(
        { features: [x, y], relevant: true, weight: probability },
        { features: [x, y], relevant: false, weight: 1 - probability },
      );
    }
  }
  return observations;
}

describe('logistic regression', () => {
  it('finds the slopes of the law that made the observations', () => {
    const { slopes } = fitLine(ofLaw(([x = 0, y = 0]) => 1.5 * x + 0.5 * y));
    expect(slopes[0]).toBeCloseTo(1.5, 0);
    expect(slopes[1]).toBeCloseTo(0.5, 0);
    expect((slopes[0] ?? 0) / (slopes[1] ?? 1)).toBeCloseTo(3, 1);
  });

  it('leaves out what would speak against a passage', () => {
    const { slopes } = fitLine(ofLaw(([x = 0, y = 0]) => 2 * x - y));
    expect(slopes[1]).toBe(0);
    expect(slopes[0]).toBeGreaterThan(1);
  });

  it('refuses observations of one class', () => {
    expect(() => fitLine([{ features: [1], relevant: true, weight: 1 }])).toThrow('relevant and irrelevant');
  });
});
