import { embedCode } from './embed.ts';

it('the code to embed names the poster and holds no HTML of the title', () => {
  const link = { url: 'https://a.example/m.m3u8?x=1&y=2', nativeUrl: null, posterUrl: 'https://a.example/p.jpg' };
  expect(embedCode(link, '"><script>')).toBe(
    [
      '<video controls playsinline preload="metadata" title="&quot;&gt;&lt;script&gt;" poster="https://a.example/p.jpg">',
      '  <source src="https://a.example/m.m3u8?x=1&amp;y=2" type="application/vnd.apple.mpegurl">',
      '</video>',
    ].join('\n'),
  );
  expect(embedCode({ ...link, nativeUrl: 'https://a.example/~t/m.m3u8', posterUrl: null }, 'T')).toContain(
    '/~t/m.m3u8"',
  );
});
