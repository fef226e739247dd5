import fc from 'fast-check';
import { segmentsOf, wordsOf } from './output.ts';

const printed = `and then our
<s> 0.000 0.040 0.998900
and(2) 0.050 0.160 0.032758
[SPEECH] 0.160 0.170 0.5
then 0.170 0.670 1.000300
++BREATH++ 0.670 0.680 0.1
our(3) 0.680 0.980 0.207841
</s> 2.310 2.440 1.000000
not
<s> 3.170 3.280 1.000300
<sil> 3.740 3.980 0.828680
not 3.990 4.300 0.817730
</s> 4.310 4.760 1.000000
`;

describe('what pocketsphinx prints', () => {
  it('becomes words without fillers, with the end of their last frame', () => {
    expect(wordsOf(printed, 4.2)).toEqual([
      { text: 'and', start: 0.05, end: 0.17, confidence: 0.033 },
      { text: 'then', start: 0.17, end: 0.68, confidence: 1 },
      { text: 'our', start: 0.68, end: 0.99, confidence: 0.208 },
      { text: 'not', start: 3.99, end: 4.2, confidence: 0.818 },
    ]);
  });

  it('becomes segments that end where the speaker pauses', () => {
    expect(
      segmentsOf(wordsOf(printed, 5)).map(({ text, start, end, language, timingPrecision }) => [
        text,
        start,
        end,
        language,
        timingPrecision,
      ]),
    ).toEqual([
      ['and then our', 0.05, 0.99, 'en', 'word'],
      ['not', 3.99, 4.31, 'en', 'word'],
    ]);
    expect(segmentsOf([])).toEqual([]);
  });

  it('is never out of order or out of the sound, whatever it is', () => {
    const line = fc
      .tuple(fc.constantFrom('word', '<sil>', 'a(2)', 'Ü'), fc.nat(20_000), fc.nat(20_000), fc.nat(2000))
      .map(
        ([word, start, end, sure]) =>
          `${word} ${(start / 1000).toFixed(3)} ${(end / 1000).toFixed(3)} ${(sure / 1000).toFixed(6)}`,
      );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => {
        let last = 0;
        for (const word of wordsOf(lines.join('\n'), 12)) {
          expect(word.start).toBeGreaterThanOrEqual(last);
          expect(word.end).toBeGreaterThanOrEqual(word.start);
          expect(word.end).toBeLessThanOrEqual(12);
          last = word.end;
        }
      }),
    );
  });
});
