import { isContentsPage } from './contents-page.ts';

describe('a page of contents', () => {
  it.each([
    ['dots', 'Contents\n1 Lamps ........ 3\n2 Oil . . . . . . 12\n2.1 Wicks…… 14\n3 Fog signals ..... xi'],
    ['page numbers under a heading', 'Inhaltsverzeichnis\nLampen 3\nÖl 12\nDochte 14\nNebel 14\nWinde 20'],
  ])('leads to pages by %s', (_, text) => {
    expect(isContentsPage(text)).toBe(true);
  });

  it.each([
    ['prose', 'The lamp is lit at dusk.\nIt burns until dawn.\nWait ....\nThen rest.\nIn 1861 it was moved.'],
    ['a short list', 'Contents\nLamps .... 3\nOil .... 12'],
    ['a price list', 'Prices\nLamp 30\nOil 4\nWick 2\nRope 12'],
    ['prose that begins with few such lines', `Lamps ..... 3\nOil ..... 4\n${'A line of text.\n'.repeat(9)}`],
    ['a heading over falling numbers', 'Contents\nLamps 30\nOil 4\nWick 12\nRope 2\nFog 1'],
  ])('is not %s', (_, text) => {
    expect(isContentsPage(text)).toBe(false);
  });
});
