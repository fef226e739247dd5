import { withoutReasons } from './health.ts';

it('everybody may know which part is away, and not what it said', () => {
  const told = withoutReasons({
    ready: false,
    parts: {
      records: { state: 'down', detail: 'connect ECONNREFUSED 10.0.0.5:27017' },
      speech: { state: 'off', detail: 'pocketsphinx is not installed (apt-get install pocketsphinx)' },
      passages: { state: 'up' },
    },
  });
  expect(told).toEqual({
    ready: false,
    parts: {
      records: { state: 'down', detail: 'it does not answer; the log tells why' },
      speech: { state: 'off', detail: 'pocketsphinx is not installed (apt-get install pocketsphinx)' },
      passages: { state: 'up' },
    },
  });
  expect(
    withoutReasons({ ready: false, parts: { program: { state: 'down', detail: 'it is stopping' } } }).parts['program']
      ?.detail,
  ).toBe('it is stopping');
});
