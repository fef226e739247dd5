import { randomBytes } from 'node:crypto';
import { systemRuntime } from '../models/runtime.ts';
import { keyIdOf, sealer } from './sealing.ts';

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const before = sealer(first, systemRuntime);

describe('several secret keys', () => {
  it('open texts of each key and name it, while only the current key seals', () => {
    const now = sealer(third, systemRuntime, { former: [first, second] });
    const [old, older] = [sealer(second, systemRuntime).seal('a secret', 'asset:1'), before.seal('another', 'asset:2')];
    expect([now.open(old, 'asset:1'), now.open(older, 'asset:2')]).toEqual(['a secret', 'another']);
    expect(now.keys).toEqual([
      { id: keyIdOf(third), use: 'current' },
      { id: keyIdOf(first), use: 'former' },
      { id: keyIdOf(second), use: 'former' },
    ]);
    expect([now.keyOf(old, 'asset:1')?.id, now.keyOf(older, 'asset:2')?.id]).toEqual([keyIdOf(second), keyIdOf(first)]);
    expect(now.keyOf(now.seal('new', 'asset:3'), 'asset:3')).toEqual({ id: keyIdOf(third), use: 'current' });
    // A version with a single key reads texts that were sealed with several keys configured.
    expect(sealer(third, systemRuntime).open(now.seal('new', 'asset:3'), 'asset:3')).toBe('new');
  });

  it('open nothing for another context, nothing that was changed, and nothing of an unknown key', () => {
    const now = sealer(second, systemRuntime, { former: [first] });
    const sealed = before.seal('a secret', 'asset:1');
    for (const [text, context] of [
      [sealed, 'asset:2'],
      [`${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'Q' : 'A'}`, 'asset:1'],
      [sealer(third, systemRuntime).seal('x', 'asset:1'), 'asset:1'],
      ['plain text', 'asset:1'],
    ] as const) {
      expect(() => now.open(text, context)).toThrow('does not open');
      expect(now.keyOf(text, context)).toBeNull();
    }
  });

  it('the next key opens texts of processes that already seal with it', () => {
    const [waiting, changed] = [
      sealer(first, systemRuntime, { next: second }),
      sealer(second, systemRuntime, { former: [first] }),
    ];
    expect(waiting.open(changed.seal('new', 'asset:1'), 'asset:1')).toBe('new');
    expect(changed.open(waiting.seal('old', 'asset:1'), 'asset:1')).toBe('old');
    expect(waiting.keyOf(changed.seal('new', 'asset:1'), 'asset:1')?.use).toBe('next');
  });

  it('recognise only their marks and beginnings of marks, including those of a former key', () => {
    const now = sealer(second, systemRuntime, { former: [first] });
    const mark = before.mark('a text', 'purpose');
    expect(now.keyOfMark(mark, 'a text', 'purpose')).toEqual({ id: keyIdOf(first), use: 'former' });
    expect(now.keyOfMark(now.mark('a text', 'purpose').subarray(0, 16), 'a text', 'purpose')?.use).toBe('current');
    const altered = Buffer.from(mark);
    altered[20] = (altered[20] ?? 0) ^ 1;
    for (const [bytes, text, purpose] of [
      [altered, 'a text', 'purpose'],
      [mark, 'another', 'purpose'],
      [mark, 'a text', 'another'],
      [mark.subarray(0, 15), 'a text', 'purpose'],
      [Buffer.concat([mark, mark]), 'a text', 'purpose'],
    ] as const) {
      expect(now.keyOfMark(bytes, text, purpose)).toBeNull();
    }
    expect(sealer(third, systemRuntime).keyOfMark(mark, 'a text', 'purpose')).toBeNull();
  });

  it('have a stable id that does not reveal the key', () => {
    expect(keyIdOf(first)).toBe(keyIdOf(Buffer.from(first)));
    expect(keyIdOf(first)).toMatch(/^[0-9a-f]{8}$/);
    expect(first.toString('hex')).not.toContain(keyIdOf(first));
    expect(() => sealer(first, systemRuntime, { former: [randomBytes(16)] })).toThrow('32 bytes');
  });
});
