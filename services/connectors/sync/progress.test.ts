import { boundedGaps } from './progress.ts';

it('too many gaps become one that covers them all', () => {
  const few = ['canvas:h/1/', 'canvas:h/2/'];
  expect(boundedGaps(few)).toEqual(few);
  const many = Array.from({ length: 1001 }, (_, at) => `canvas:h/1${at}/`);
  expect(boundedGaps(many)).toEqual(['canvas:h/1']);
  expect(boundedGaps([...many, 's3:h/'])).toEqual(['']);
});
