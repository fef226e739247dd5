import type { SearchItem } from '../../../models/api.ts';
import type { Passage } from '../../../models/passage.ts';
import type { Hit } from '../order.ts';

/** A passage that is offered to an answer. */
export interface Offered {
  /** Its number in citations: 1, 2, 3, ..., the best first. */
  number: number;
  hit: Hit;
  passage: Passage;
  item: SearchItem;
}

/** The text of an answer with its citations. */
export interface Written {
  text: string;
  /** Numbers of the offered passages that it cites. */
  cited: ReadonlySet<number>;
}
