/** A word of a text with its stem, in UTF-16 offsets, as the analyser gives it. */
export interface TextWord {
  start: number;
  end: number;
  stem: string;
}

/** Numbers that are held of each word: where it starts, where it ends, and where its stem starts among the stems. */
const width = 3;

/**
 * The words of a text with their stems, in the order of the text. They are held in columns, the stems as one string joined
 * by blanks: a page shows thousands of words, and an object and a string for each would cost more than all that is done
 * with them. No stem holds a blank.
 */
export class Words {
  readonly #numbers: Int32Array;
  readonly #stems: string;

  /** @param numbers `width` of them for each word */
  constructor(numbers: Int32Array, stems: string) {
    this.#numbers = numbers;
    this.#stems = stems;
  }

  /** The same words in columns. */
  static of(words: readonly TextWord[]): Words {
    const collected = new WordCollector();
    let stemStart = 0;
    for (const { start, end, stem } of words) {
      collected.add(start, end, stemStart);
      stemStart += stem.length + 1;
    }
    return collected.taken(words.map(({ stem }) => stem).join(' '));
  }

  get length(): number {
    return this.#numbers.length / width;
  }

  /** Where the word at this place starts; the text's end counts as infinitely far. */
  startOf(place: number): number {
    return this.#numbers[place * width] ?? Infinity;
  }

  /** Where the word at this place ends; undefined where there is none. */
  endOf(place: number): number | undefined {
    return place < 0 ? undefined : this.#numbers[place * width + 1];
  }

  /** Stems of the words from one place to before another, joined by blanks. */
  stemsOf(first: number, after: number): string {
    return first >= after ? '' : this.#stems.slice(this.#stemStart(first), this.#stemStart(after) - 1);
  }

  /** Places of the words with this stem, in their order. */
  withStem(stem: string): number[] {
    const places: number[] = [];
    if (stem === '') return places;
    const stems = this.#stems;
    let place = 0;
    for (let at = stems.indexOf(stem); at !== -1; at = stems.indexOf(stem, at + 1)) {
      const end = at + stem.length;
      if ((at > 0 && stems[at - 1] !== ' ') || (end < stems.length && stems[end] !== ' ')) continue;
      place = this.#placeOfStemAt(at, place);
      places.push(place);
    }
    return places;
  }

  #stemStart(place: number): number {
    return this.#numbers[place * width + 2] ?? this.#stems.length + 1;
  }

  /** The word whose stem starts there; none before `from` does. */
  #placeOfStemAt(at: number, from: number): number {
    let [below, above] = [from, this.length];
    while (above - below > 1) {
      const middle = (below + above) >>> 1;
      if (this.#stemStart(middle) <= at) below = middle;
      else above = middle;
    }
    return below;
  }
}

/** Collects words one after the other. One collector serves for many texts. */
export class WordCollector {
  #numbers = new Int32Array(width * 256);
  #used = 0;

  /** Begins with another text. */
  begin(): void {
    this.#used = 0;
  }

  /** @param stemStart where its stem starts among the stems of all */
  add(start: number, end: number, stemStart: number): void {
    if (this.#used === this.#numbers.length) {
      const more = new Int32Array(this.#numbers.length * 2);
      more.set(this.#numbers);
      this.#numbers = more;
    }
    this.#numbers[this.#used] = start;
    this.#numbers[this.#used + 1] = end;
    this.#numbers[this.#used + 2] = stemStart;
    this.#used += width;
  }

  /** The words of the text, whose stems these are. */
  taken(stems: string): Words {
    return new Words(this.#numbers.slice(0, this.#used), stems);
  }
}
