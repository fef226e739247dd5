import { attributes, index, newScope, passage } from './conformance-data.ts';
import type { NearWord, Passages, WordQuestion } from './port.ts';

const question = (more: Partial<WordQuestion>): WordQuestion => ({
  stems: [],
  edits: 0,
  forms: [],
  prefixes: [],
  ...more,
});

/** Indexed words similar to a word that no passage contains. */
export function wordTests(passages: () => Passages): void {
  const near = (stem: string, edits: number, count = 1): NearWord => ({ stem, edits, passages: count });

  it('orders the nearest words by distance, then by number of passages', async () => {
    const scope = newScope();
    const texts = ['pump pumps maintenance', 'pump mainten dump', 'straße strasse größe', 'ポンプ 𝒳𝒴𝒵𝒳 4471 pumpe'];
    await index(
      passages(),
      scope,
      texts.map((stems, ordinal) => passage(ordinal, stems)),
      attributes('a'),
    );
    await index(passages(), newScope(), [passage(0, 'pumq pulp')], attributes('a'));
    const answers = await passages().nearestWords(scope, [
      question({ stems: ['pupm'], edits: 1 }),
      question({ stems: ['pumpp'], edits: 1 }),
      question({ stems: ['maintanance'], edits: 2 }),
      question({ stems: ['größ'], edits: 1 }),
      question({ stems: ['managment'], edits: 2, forms: ['mainten', 'no such'] }),
      question({ stems: ['4472'], edits: 1 }),
      question({ prefixes: ['pump'] }),
      question({ stems: ['unlike'], edits: 1 }),
      question({}),
    ]);
    expect(answers).toEqual([
      [near('pump', 1, 2)],
      [near('pump', 1, 2), near('pumpe', 1), near('pumps', 1)],
      [near('maintenance', 1)],
      [near('größe', 1)],
      [near('mainten', 1)],
      [],
      [near('pumpe', 0), near('pumps', 0)],
      [],
      [],
    ]);
  });

  it('finds a word exactly as long as a passage contains it', async () => {
    const scope = newScope();
    const ask = async () => (await passages().nearestWords(scope, [question({ stems: ['valbe'], edits: 1 })]))[0];
    expect(await ask()).toEqual([]);
    await index(passages(), scope, [passage(0, 'valve'), passage(1, 'valve')], attributes('a'));
    await index(passages(), scope, [passage(0, 'valve')], attributes('b'));
    expect(await ask()).toEqual([near('valve', 1, 3)]);
    await passages().removeFile(scope, 'a');
    expect(await ask()).toEqual([near('valve', 1, 1)]);
    await passages().removeFile(scope, 'b');
    expect(await ask()).toEqual([]);
    await index(passages(), scope, [passage(0, 'valve')], attributes('c'));
    expect(await ask()).toEqual([near('valve', 1, 1)]);
  });
}
