import { randomBytes } from 'node:crypto';
import { systemAmbient } from '../models/ambient.ts';
import { keyIdOf, sealer } from './sealing.ts';

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const before = sealer(first, systemAmbient);

describe('several secret keys', () => {
  it('open what each of them sealed, and tell which it was, while the current one alone seals', () => {
    const now = sealer(third, systemAmbient, { former: [first, second] });
    const [old, older] = [sealer(second, systemAmbient).seal('a secret', 'asset:1'), before.seal('another', 'asset:2')];
    expect([now.open(old, 'asset:1'), now.open(older, 'asset:2')]).toEqual(['a secret', 'another']);
    expect(now.keys).toEqual([{ id: keyIdOf(third), use: 'current' }, { id: keyIdOf(first), use: 'former' }, { id: keyIdOf(second), use: 'former' }]);
    expect([now.keyOf(old, 'asset:1')?.id, now.keyOf(older, 'asset:2')?.id]).toEqual([keyIdOf(second), keyIdOf(first)]);
    expect(now.keyOf(now.seal('new', 'asset:3'), 'asset:3')).toEqual({ id: keyIdOf(third), use: 'current' });
    // A version that knows one key alone reads what is sealed beside others.
    expect(sealer(third, systemAmbient).open(now.seal('new', 'asset:3'), 'asset:3')).toBe('new');
  });

  it('open nothing for another place, nothing that was changed, and nothing of a key that is not among them', () => {
    const now = sealer(second, systemAmbient, { former: [first] });
    const sealed = before.seal('a secret', 'asset:1');
    for (const [text, place] of [[sealed, 'asset:2'], [`${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'Q' : 'A'}`, 'asset:1'], [sealer(third, systemAmbient).seal('x', 'asset:1'), 'asset:1'], ['plain text', 'asset:1']] as const) {
      expect(() => now.open(text, place)).toThrow('does not open');
      expect(now.keyOf(text, place)).toBeNull();
    }
  });

  it('a key that comes next opens what processes that were changed over have sealed', () => {
    const [waiting, changed] = [sealer(first, systemAmbient, { next: second }), sealer(second, systemAmbient, { former: [first] })];
    expect(waiting.open(changed.seal('new', 'asset:1'), 'asset:1')).toBe('new');
    expect(changed.open(waiting.seal('old', 'asset:1'), 'asset:1')).toBe('old');
    expect(waiting.keyOf(changed.seal('new', 'asset:1'), 'asset:1')?.use).toBe('next');
  });

  it('recognise marks and their beginnings, those of a former key too, and no others', () => {
    const now = sealer(second, systemAmbient, { former: [first] });
    const mark = before.mark('a text', 'purpose');
    expect(now.keyOfMark(mark, 'a text', 'purpose')).toEqual({ id: keyIdOf(first), use: 'former' });
    expect(now.keyOfMark(now.mark('a text', 'purpose').subarray(0, 16), 'a text', 'purpose')?.use).toBe('current');
    const altered = Buffer.from(mark);
    altered[20] = (altered[20] ?? 0) ^ 1;
    for (const [bytes, text, purpose] of [[altered, 'a text', 'purpose'], [mark, 'another', 'purpose'], [mark, 'a text', 'another'], [mark.subarray(0, 15), 'a text', 'purpose'], [Buffer.concat([mark, mark]), 'a text', 'purpose']] as const) {
      expect(now.keyOfMark(bytes, text, purpose)).toBeNull();
    }
    expect(sealer(third, systemAmbient).keyOfMark(mark, 'a text', 'purpose')).toBeNull();
  });

  it('are told apart by an id that is always the same and holds nothing of the key', () => {
    expect(keyIdOf(first)).toBe(keyIdOf(Buffer.from(first)));
    expect(keyIdOf(first)).toMatch(/^[0-9a-f]{8}$/);
    expect(first.toString('hex')).not.toContain(keyIdOf(first));
    expect(() => sealer(first, systemAmbient, { former: [randomBytes(16)] })).toThrow('32 bytes');
  });
});
