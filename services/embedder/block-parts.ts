import { splitBlock } from '../../mixins/blocks/split-block.ts';
import type { Block, Location } from '../../models/block.ts';
import { wordCount } from './word-count.ts';

/** Words of a passage, at most, about. */
export const passageWords = 200;
/** Up to so many words more are added to a passage rather than left over. */
export const leftoverWords = 40;
/** Seconds of speech in a passage, at most. */
const passageSeconds = 60;

/** The text of a passage, and its location. */
export interface PassagePart {
  text: string;
  location: Location;
  /** Titles of the sections that begin in it, one a line. */
  titles?: string;
  /** What describes it besides: names of columns, captions, the name of a sheet; one a line. */
  context?: string;
  /** Present for a part of a table of contents. */
  isContents?: true;
}

interface SizedBlock extends Block {
  words: number;
}

/** Splits a block that is longer than a passage into even pieces. */
function* splitToFit(block: Block): Generator<SizedBlock> {
  const words = wordCount(block.text);
  if (words <= passageWords + leftoverWords) {
    yield { ...block, words };
    return;
  }
  // A fifth more room than an even split needs, because pieces end at the end of a sentence.
  const room = Math.min(
    Math.ceil((block.text.length / words) * passageWords),
    Math.ceil((block.text.length / Math.ceil(words / passageWords)) * 1.2),
  );
  for (const piece of splitBlock(block, room)) {
    const found = wordCount(piece.text);
    // Words are not evenly distributed: a piece may still be too long (encoded data next to prose).
    if (found > passageWords + leftoverWords && piece.text.length < block.text.length) yield* splitToFit(piece);
    else yield { ...piece, words: found };
  }
}

/** The location of the first block, with the end fields of the last. */
function joinedLocation(first: Location, last: Location): Location {
  const joined: Location = { ...first };
  if (last.charEnd !== undefined && first.charStart !== undefined) joined.charEnd = last.charEnd;
  if (last.lineEnd !== undefined && first.lineStart !== undefined) joined.lineEnd = last.lineEnd;
  if (last.endSeconds !== undefined && first.startSeconds !== undefined) joined.endSeconds = last.endSeconds;
  return joined;
}

function belongsTo(blocks: readonly SizedBlock[], words: number, next: SizedBlock): boolean {
  const [first] = blocks;
  if (first === undefined) return true;
  if (first.group !== next.group || first.isContents !== next.isContents) return false;
  const { startSeconds } = first.location;
  const { endSeconds } = next.location;
  if (startSeconds !== undefined && endSeconds !== undefined && endSeconds - startSeconds > passageSeconds)
    return false;
  return words + next.words <= passageWords + (next.words <= leftoverWords / 2 ? leftoverWords : 0);
}

function partOf(blocks: readonly SizedBlock[]): PassagePart | null {
  const [first] = blocks;
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return null;
  const titles = blocks.flatMap((block) => block.titles ?? []).join('\n');
  const context = [...new Set(blocks.flatMap((block) => block.context?.split('\n') ?? []))].join('\n');
  return {
    text: blocks.map((block) => block.text).join('\n'),
    location: joinedLocation(first.location, last.location),
    ...(titles === '' ? {} : { titles }),
    ...(context === '' ? {} : { context }),
    ...(first.isContents === undefined ? {} : { isContents: true }),
  };
}

/** The blocks, each with the context that holds for it: its own, or the last one of its group. */
async function* withContext(blocks: AsyncIterable<Block>): AsyncGenerator<Block> {
  let [group, context]: [string | null, string] = [null, ''];
  for await (const block of blocks) {
    context = block.context ?? (block.group === group ? context : '');
    group = block.group;
    yield context === '' ? block : { ...block, context };
  }
}

/**
 * Joins consecutive blocks of one group into parts of up to about 200 words (and 60 seconds of speech), separated by
 * line breaks; splits longer blocks at the ends of sentences or words. Skips blank blocks. Holds one part and one block
 * at a time.
 */
export async function* joinBlocks(blocks: AsyncIterable<Block>): AsyncGenerator<PassagePart> {
  let joined: SizedBlock[] = [];
  let words = 0;
  for await (const block of withContext(blocks)) {
    if (block.text.trim() === '') continue;
    for (const next of splitToFit(block)) {
      if (!belongsTo(joined, words, next)) {
        const part = partOf(joined);
        if (part !== null) yield part;
        joined = [];
        words = 0;
      }
      joined.push(next);
      words += next.words;
    }
  }
  const part = partOf(joined);
  if (part !== null) yield part;
}
