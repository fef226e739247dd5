import type { SearchItem } from '../../../models/api.ts';
import type { Passage } from '../../../models/passage.ts';
import type { Hit } from '../order.ts';

/** A passage that an answer may be made of. */
export interface Offered {
  /** What cites it: 1, 2, 3, ..., the best first. */
  number: number;
  hit: Hit;
  passage: Passage;
  item: SearchItem;
}

/** An answer as it was written. */
export interface Written {
  text: string;
  /** Numbers of the offered passages that it cites. */
  cited: ReadonlySet<number>;
}
