import { languageNews } from './language-news.ts';

it('a language of an organization is told of once a minute, with others at once', () => {
  let now = 1_000_000;
  const told: string[] = [];
  const news = languageNews((organizationId) => told.push(organizationId), () => now);
  news('a', new Set(['en', 'ar']));
  news('a', new Set(['ar']));
  news('a', new Set());
  expect(told).toEqual(['a']);
  news('a', new Set(['en', 'de']));
  news('b', new Set(['en']));
  expect(told).toEqual(['a', 'a', 'b']);
  now += 59_999;
  news('a', new Set(['ar']));
  expect(told).toHaveLength(3);
  now += 1;
  news('a', new Set(['ar']));
  // The clock was put back.
  now -= 3_600_000;
  news('a', new Set(['ar']));
  expect(told).toEqual(['a', 'a', 'b', 'a', 'a']);
});
