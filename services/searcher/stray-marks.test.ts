import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import { markWords, stemIndex } from './highlight.ts';
import { planQuery } from './query.ts';
import { strayMarks } from './stray-marks.ts';
import { Words } from './words.ts';

/** What is marked of a text in a library of these languages, the first of which is that of the text. */
function markedIn(text: string, query: string, languages: readonly string[]): string[] {
  const [analysedAs = 'und'] = languages;
  const plan = planQuery(analyseQuery(query, languages), [], true);
  const isStray = strayMarks(query, plan, analyse);
  const marks = markWords(Words.of(analyse(text, analysedAs)), stemIndex(plan.terms));
  return marks.filter((mark) => !isStray(mark, { text, analysedAs })).map(({ start, end }) => text.slice(start, end));
}

describe('marks', () => {
  it('leave out very common words that only the stemming of another language makes of the query', () => {
    expect(markedIn('Do not take notes. A note is not an area.', 'meeting notes', ['en', 'fr', 'es', 'de'])).toEqual(['notes', 'note']);
    expect(markedIn('Co-ops can be found in Canada.', 'Canada', ['en', 'es'])).toEqual(['Canada']);
    expect(markedIn('La note du bureau et les notes jointes.', 'notes', ['fr', 'en'])).toEqual(['note', 'notes']);
  });

  it('tell an abbreviation from the ordinary word', () => {
    expect(markedIn('The IT desk opens at nine. It helps when it can.', 'IT desk', ['en'])).toEqual(['IT', 'desk']);
    expect(markedIn('Who is it? It is the desk.', 'who is it', ['en'])).toEqual([]);
  });
});
