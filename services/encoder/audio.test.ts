import fc from 'fast-check';
import { audioGrid } from '../../media/video-commands.ts';
import { audioRunLength } from './audio.ts';

it('runs of the audio end where a segment and a frame do, and a film has twelve of them at most', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 24 * 3600, noNaN: true }), (seconds) => {
      const length = audioRunLength(seconds);
      expect(length % audioGrid).toBe(0);
      expect(length * 6).toBeGreaterThanOrEqual(288);
      expect(length * 6 * 12).toBeGreaterThanOrEqual(Math.min(seconds, 12 * 288));
    }),
  );
  expect([audioRunLength(30), audioRunLength(7200), audioRunLength(null)]).toEqual([48, 104, 96]);
});
