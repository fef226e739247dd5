import { analyse } from '../../models/analyser/analyser.ts';
import { rememberingAnalyser } from './shown-words.ts';

describe('the words of shown texts', () => {
  const text = 'Running dogs barked loudly all night long, said the neighbours. '.repeat(5);

  it('are the analyser\'s, in each language, and looked for once', () => {
    let asked = 0;
    const remembering = rememberingAnalyser((each, language) => {
      asked++;
      return analyse(each, language);
    });
    for (let time = 0; time < 3; time++) for (const language of ['en', 'und', 'de']) expect(remembering(text, language)).toEqual(analyse(text, language));
    expect(asked).toBe(3);
  });

  it('are forgotten when many others were shown, and never kept of short or overlong texts', () => {
    let asked = 0;
    const remembering = rememberingAnalyser(() => {
      asked++;
      return [];
    });
    for (let place = 0; place < 2000; place++) remembering(`${text}${place}`, 'en');
    remembering(`${text}0`, 'en');
    expect(asked).toBe(2001);
    for (const unusual of ['dogs', text.repeat(20)]) for (let time = 0; time < 2; time++) remembering(unusual, 'en');
    expect(asked).toBe(2005);
  });
});
