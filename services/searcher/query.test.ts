import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import { modelReads, planQuery } from './query.ts';

function plan(query: string, hasMeaning = true) {
  return planQuery(analyseQuery(query, ['en']), [analyse(query, 'en')], hasMeaning);
}

describe('a query plan', () => {
  it('takes each telling word once and counts how often it stands there', () => {
    expect(plan('the pump and the pumps of a seal')).toMatchObject({
      terms: [['pump'], ['seal']],
      occurrences: [2, 1],
    });
  });

  it('leaves a query of common words to the meaning leg, and takes them where there is none', () => {
    expect(plan('who is it').terms).toEqual([]);
    expect(plan('who is it', false).terms.length).toBeGreaterThan(0);
  });
});

describe('whether a model reads a query', () => {
  it('goes by script', () => {
    expect(modelReads('the pump', ['en'])).toBe(true);
    expect(modelReads('насос', ['en'])).toBe(false);
    expect(modelReads('насос', ['en', 'ru'])).toBe(true);
    expect(modelReads('ポンプの漢字', ['ja'])).toBe(true);
    expect(modelReads('مضخة', ['en'])).toBe(false);
    expect(modelReads('مضخة', null)).toBe(true);
    expect(modelReads('4471', ['en'])).toBe(true);
  });

  it('is not asked of a model where it has nothing to say', () => {
    for (const query of [' ', '\n', '!?', '"', '()', '\u200b', '\u{1F993}'])
      expect([query, modelReads(query, ['en'])]).toEqual([query, false]);
    for (const query of [' ', '!?', '\u200b']) expect([query, modelReads(query, null)]).toEqual([query, false]);
    for (const query of ['\u{1F993}', '€', '7', 'a']) expect([query, modelReads(query, null)]).toEqual([query, true]);
  });
});
