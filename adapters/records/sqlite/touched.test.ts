import { TouchedDocuments } from './touched.ts';

describe('documents that writes have touched', () => {
  it('are known by the version at which they were read', () => {
    const touched = new TouchedDocuments();
    touched.touch(['a']);
    const read = touched.version;
    expect([touched.isTouched('a', read - 1), touched.isTouched('a', read), touched.isTouched('b', 0)]).toEqual([
      true,
      false,
      false,
    ]);
    touched.touch(['b']);
    expect([touched.isTouched('a', read), touched.isTouched('b', read)]).toEqual([false, true]);
  });

  it('are all of them after a write that may have changed any, until they are read again', () => {
    const touched = new TouchedDocuments();
    const before = touched.version;
    touched.touch(null);
    expect([touched.isTouched('a', before), touched.isTouched('a', touched.version)]).toEqual([true, false]);
  });

  it('are all of them once too many were touched to remember which', () => {
    const touched = new TouchedDocuments();
    touched.touch(['a']);
    const read = touched.version;
    for (let turn = 0; turn < 30; turn += 1)
      touched.touch(Array.from({ length: 1000 }, (_, index) => `${turn}/${index}`));
    expect([touched.isTouched('a', read), touched.isTouched('never', read)]).toEqual([true, true]);
    expect(touched.isTouched('29/1', touched.version)).toBe(false);
  });
});
