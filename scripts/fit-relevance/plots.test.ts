import { plot } from './plots.ts';

describe('a plot', () => {
  it('is an SVG document with escaped names and correct coordinates', () => {
    const drawn = plot(
      'A & B',
      'x',
      'y',
      [
        {
          name: '<one>',
          color: '#000000',
          dashed: true,
          points: [
            [0, 0],
            [1, 1],
          ],
        },
      ],
      { at: 0.5, name: 'floor' },
    );
    expect(drawn.startsWith('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 666 404"')).toBe(true);
    expect(drawn).toContain('A &amp; B');
    expect(drawn).toContain('&lt;one&gt;');
    expect(drawn).toContain('points="56.0,356.0 476.0,36.0"');
    expect(drawn).toContain('M266.0 356.0V36.0');
  });
});
