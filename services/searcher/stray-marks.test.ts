import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import { markWords, stemIndex } from './highlight.ts';
import { planQuery } from './query.ts';
import { strayMarks } from './stray-marks.ts';
import { Words } from './words.ts';

function markedIn(text: string, query: string): string[] {
  const plan = planQuery(analyseQuery(query, ['en']), [], true);
  const isStray = strayMarks(query, plan);
  const marks = markWords(Words.of(analyse(text, 'en')), stemIndex(plan.terms));
  return marks.filter((mark) => !isStray(mark, { text, analysedAs: 'en' })).map(({ start, end }) => text.slice(start, end));
}

describe('marks', () => {
  it('tell an abbreviation from the ordinary word', () => {
    expect(markedIn('The IT desk opens at nine. It helps when it can.', 'IT desk')).toEqual(['IT', 'desk']);
    expect(markedIn('Who is it? It is the desk.', 'who is it')).toEqual([]);
  });
});
