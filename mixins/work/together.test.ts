import { Together } from './together.ts';

describe('work on what comes at the same time', () => {
  it('is done together, for as many as may be', async () => {
    const worked: number[][] = [];
    const together = new Together<number>(
      async (items) => {
        await new Promise(setImmediate);
        worked.push([...items]);
      },
      { most: 3, waitMs: 5 },
    );
    const added = [1, 2, 3, 4].map((item) => together.add(item));
    await Promise.all(added.slice(0, 3));
    expect(worked).toEqual([[1, 2, 3]]);
    await Promise.all(added);
    expect(worked).toEqual([[1, 2, 3], [4]]);
    await together.add(5);
    expect(worked).toEqual([[1, 2, 3], [4], [5]]);
  });
});
