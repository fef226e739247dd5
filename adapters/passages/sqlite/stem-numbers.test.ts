import { StemNumbers } from './stem-numbers.ts';

const many = Array.from({ length: 70_000 }, (_, place) => `stem${place}`);

/** The bits of a stem's hash by which a table of 2,048 places is entered (FNV-1a, its upper half folded in). */
function lowBits(stem: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < stem.length; at += 1) hash = Math.imul(hash ^ stem.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & 2047;
}

describe('numbers of stems', () => {
  it('are the same for the same stem, in whatever text and script, and others for another', () => {
    const numbers = new StemNumbers(100);
    const stems = ['pump', 'pum', 'pumps', 'häus', 'насос', '学校', '😀', 'mp', 'pump'];
    expect([...(numbers.numbersOf(stems.join(' ')) ?? [])]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 0]);
    expect([...(numbers.numbersOf('学校 valve pump') ?? [])]).toEqual([5, 8, 0]);
    expect(stems.map((stem) => numbers.numberOf(stem))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 0]);
    expect([numbers.size, numbers.numberOf('valv'), numbers.numberOf('')]).toEqual([9, undefined, undefined]);
  });

  it('stand for the words between single spaces, and for none of an empty text', () => {
    const numbers = new StemNumbers(100);
    for (const stems of ['a  b', ' a', 'b ', 'b']) expect(numbers.numbersOf(stems)).toHaveLength(stems.split(' ').length);
    expect(numbers.numbersOf('')).toHaveLength(0);
  });

  it('stay what they are when there are more than fit into two bytes', () => {
    const numbers = new StemNumbers(100_000);
    const first = numbers.numbersOf(many.slice(0, 65_536).join(' '));
    const all = numbers.numbersOf(many.join(' '));
    expect([first?.BYTES_PER_ELEMENT, all?.BYTES_PER_ELEMENT]).toEqual([2, 4]);
    expect([...(all ?? [])]).toEqual(many.map((_, place) => place));
    expect(numbers.numberOf('stem69999')).toBe(69_999);
  });

  it('are given to so many stems and no more', () => {
    const numbers = new StemNumbers(2);
    expect(numbers.numbersOf('one two three')).toBeNull();
    expect([...(numbers.numbersOf('two one') ?? [])]).toEqual([1, 0]);
    expect([numbers.size, numbers.numberOf('three')]).toEqual([2, undefined]);
  });

  it('are refused to stems beyond some hundreds of one hash, and given to others as before', () => {
    const alike = Array.from({ length: 2_000_000 }, (_, place) => `w${place}`).filter((stem) => lowBits(stem) === 5).slice(0, 600);
    const numbers = new StemNumbers(100_000);
    expect(alike).toHaveLength(600);
    expect(numbers.numbersOf(alike.slice(0, 500).join(' '))).toHaveLength(500);
    expect(numbers.numbersOf(alike.join(' '))).toBeNull();
    expect(numbers.size).toBeLessThan(520);
    expect([...(numbers.numbersOf(`${alike[499]} valve`) ?? [])]).toEqual([499, numbers.size - 1]);
    expect(numbers.numberOf(alike[599] ?? '')).toBeUndefined();
  });
});
