import { analyse } from './analyser/analyser.ts';
import { formsOfStem, isOfContents, stemsOnly, storedWords } from './passage-words.ts';

describe('stored words', () => {
  const stored = storedWords(analyse('Notes of happy notes: a note on GX-4471', 'en'));

  it('are the stems in order', () => {
    expect(stemsOnly(stored)).toBe('note of happi note a note on gx4471 gx 4471');
  });

  it('tell how the words of a stem are written', () => {
    expect(formsOfStem(stored, 'note')).toEqual(['notes', 'note']);
    expect(formsOfStem(stored, 'happi')).toEqual(['happy']);
    expect(formsOfStem(stored, '4471')).toEqual(['4471']);
  });

  it('tell what a table of contents is', () => {
    const contents = storedWords(analyse('Notes 12', 'en'), true);
    expect([stemsOnly(contents), formsOfStem(contents, 'note'), formsOfStem(contents, '12')]).toEqual([
      'note 12',
      ['notes'],
      ['12'],
    ]);
    expect([contents, stored, 'note of happi'].map(isOfContents)).toEqual([true, false, false]);
  });

  it('of earlier versions have unknown forms', () => {
    expect(stemsOnly('note of happi')).toBe('note of happi');
    expect(formsOfStem('note of happi', 'note')).toBeNull();
  });
});
