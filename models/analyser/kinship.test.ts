import { formsOfWord, kinshipOf, type Kinship } from './kinship.ts';

describe('the kinship of two words', () => {
  it.each<[string, string, string, Kinship]>([
    ['en', 'notes', 'notes', 'same'],
    ['en', 'notes', 'note', 'inflected'],
    ['en', 'stopped', 'stop', 'inflected'],
    ['en', 'happier', 'weather', 'other'],
    ['en', 'boxes', 'box', 'inflected'],
    ['en', 'organ', 'organization', 'derived'],
    ['es', 'casas', 'casa', 'inflected'],
    ['es', 'cantaban', 'cantar', 'inflected'],
    ['es', 'queen', 'que', 'derived'],
    ['es', 'multiples', 'multiple', 'inflected'],
    ['en', 'multiples', 'multiple', 'inflected'],
    ['en', 'federales', 'federal', 'other'],
    ['de', 'Mueller', 'muller', 'same'],
    ['de', 'Häuser', 'haus', 'inflected'],
    ['fr', 'ordained', 'ordinateur', 'other'],
    ['ru', 'заботу', 'заботы', 'inflected'],
  ])('in %s: %s and %s are %s', (language, typed, form, kinship) => {
    expect(kinshipOf(formsOfWord(typed, language), form, language)).toBe(kinship);
  });
});
