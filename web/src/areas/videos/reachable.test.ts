import { reachable } from './reachable.ts';

it('links under localhost lead to the delivery port where the page is plain HTTP, others stay', () => {
  const link = 'https://films.localhost/~t~1~k/videos/1/master.m3u8?a=b';
  expect(reachable(link, { protocol: 'http:' })).toBe('http://films.localhost:3001/~t~1~k/videos/1/master.m3u8?a=b');
  expect(reachable(link, { protocol: 'https:' })).toBe(link);
  expect(reachable('https://films.example.com/a', { protocol: 'http:' })).toBe('https://films.example.com/a');
});
