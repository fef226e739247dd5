import { randomBytes } from 'node:crypto';
import { systemRuntime } from '../models/runtime.ts';
import { sealer } from './sealing.ts';

const key = randomBytes(32);
const seals = sealer(key, systemRuntime);

describe('sealing', () => {
  it.each(['', 'a', 'https://host.example/file?sig=abc%2B', 'ünï😀'.repeat(1000)])('opens sealed texts', (text) => {
    const sealed = seals.seal(text, 'asset:1');
    expect(sealed).toMatch(/^v1\.[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]+$/);
    expect(text.length > 8 && sealed.includes(text)).toBe(false);
    expect(seals.open(sealed, 'asset:1')).toBe(text);
  });

  it('seals the same text differently each time', () => {
    const sealed = new Set(Array.from({ length: 100 }, () => seals.seal('same', 'here')));
    expect(sealed.size).toBe(100);
  });

  it('opens no text with a changed, added or removed character', () => {
    const sealed = seals.seal('a secret', 'asset:1');
    for (let i = 0; i < sealed.length; i += 1) {
      const changed = sealed.slice(0, i) + (sealed[i] === 'A' ? 'B' : 'A') + sealed.slice(i + 1);
      expect(() => seals.open(changed, 'asset:1')).toThrow('does not open');
      expect(() => seals.open(sealed.slice(0, i) + sealed.slice(i + 1), 'asset:1')).toThrow('does not open');
    }
    expect(() => seals.open(`${sealed}A`, 'asset:1')).toThrow('does not open');
  });

  it('opens only for its context and with its key', () => {
    const sealed = seals.seal('a secret', 'asset:1');
    expect(() => seals.open(sealed, 'asset:2')).toThrow('does not open');
    expect(() => sealer(randomBytes(32), systemRuntime).open(sealed, 'asset:1')).toThrow('does not open');
    expect(() => sealer(randomBytes(16), systemRuntime)).toThrow('32 bytes');
  });

  it('makes the same mark for the same text, purpose and key only', () => {
    const mark = seals.mark('a text', 'purpose');
    expect(mark).toHaveLength(32);
    expect(seals.mark('a text', 'purpose').equals(mark)).toBe(true);
    for (const other of [
      seals.mark('another text', 'purpose'),
      seals.mark('a text', 'another purpose'),
      sealer(randomBytes(32), systemRuntime).mark('a text', 'purpose'),
    ])
      expect(other.equals(mark)).toBe(false);
  });

  it('has an error name, and does not reveal the secret', () => {
    expect(() => seals.open('plain text', 'asset:1')).toThrow(expect.objectContaining({ name: 'SealBroken' }));
  });
});
