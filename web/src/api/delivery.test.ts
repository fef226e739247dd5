import { reachable } from './delivery.ts';

it('links are read at the port of the edge only where there is no TLS, and only under its domain', () => {
  const link = 'https://films.localhost/a%20b/c.mp4?expires=1&token=x';
  const plain = { domain: 'localhost', port: 3001 };
  expect(reachable(link, plain)).toBe('http://films.localhost:3001/a%20b/c.mp4?expires=1&token=x');
  expect(reachable(link, null)).toBe(link);
  for (const other of ['https://films.example.com/a', 'https://localhost/a', 'https://evil-localhost/a', 'nothing'])
    expect(reachable(other, plain)).toBe(other);
});
