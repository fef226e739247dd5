import { ownPage } from './own-page.ts';

it.each([
  '//example.com',
  '/\\example.com',
  'https://example.com',
  'javascript:alert(1)',
  '/\t/example.com',
  7,
  undefined,
])('does not go to %s', (address) => expect(ownPage(address)).toBe('/'));

it.each(['/', '/search?q=%2F', '/files/1#x'])('goes to %s', (address) => expect(ownPage(address)).toBe(address));
