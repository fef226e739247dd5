import { joinWhiteSpace, withoutPrivateSigns } from '../clean.ts';
import { htmlWalker } from '../html-walk.ts';

/** Text that a string of a script holds: a paragraph, or a heading of HTML. */
export interface Prose {
  text: string;
  isHeading: boolean;
}

/** Keys whose values are shown to learners, alone or at the end of a longer key (`bodyText`). */
const shownKey =
  /(^|_|[a-z](?=[A-Z]))(title|text|heading|header|html|body|caption|question|answer|feedback|description|content|paragraph|transcript|subtitle|summary|prompt|instructions?|notes?|definition|term|statement|stem|narration|bullets?|points?|choices?|options?|alt|label)s?$/i;
/** Keys whose values are not, whatever they look like. */
const unshownKey =
  /(class(es|name|list)?|style|css|id|ids|href|src|url|path|file|filename|selector|font|fonts|fontfamily|icon|type|layout|colou?r|transition|easing|version|licen[cs]e|copyright|author|email|date|lang|language|format|encoding|mime|query|regex|pattern|token|key|xmlns)$/i;
const tag = /<\/?[a-z][^<>]*>/i;
const words = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’.-]*/gu;
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/gu;

const longestFontName = 200;

/** Paths of drawings (SVG 1.1, 8.3), and names of fonts that a tool made (`Open Sans Charset0_v9TY33EDE6F2`). */
const looksDrawn = (text: string): boolean =>
  /^m\s*-?\d[\d.,\s-]*[lhvcsqtaz]\s*-?[\d.]/i.test(text) ||
  /\S(charset|chars|bold|italic|regular|light)\w*[0-9a-f]{6,}$|\bcharset\w*[0-9a-f]{6,}$/i.test(
    text.slice(-longestFontName),
  );
/** What tools call a shape or a picture where no author did: `Rectangle 12`, the name of its file. */
const namedByTool = /^\p{L}+(?: \p{L}+){0,2} \d{1,4}$|\.(?:png|jpe?g|gif|svg|webp|wmf|emf)$/iu;

/** Words of a phrase. */
const minPhrase = 3;

/** How many words a text has; letters of scripts without spaces count as half a word each. */
function wordsIn(text: string): number {
  const unspaced = text.match(unspacedScript)?.length ?? 0;
  return unspaced > 0 ? unspaced / 2 : (text.match(words)?.length ?? 0);
}

/** Whether a text without spaces is an identifier, an address or a value rather than a word. */
const looksLikeIdentifier = (text: string): boolean =>
  !/\s/.test(text) &&
  (/[_/\\#$@=]|[a-z][A-Z]|\.\w|^[\d.,:%-]+(px|em|%|s|ms)?$|^(true|false|null|auto|none|undefined)$/.test(text) ||
    !/\p{L}/u.test(text));
const looksLikeCode = (text: string): boolean =>
  /[{};]\s*$|^\s*[.#][\w-]+\s*[{,>]|=>|\w\(\)|\w="|\.(js|css)["'?]|^[\w-]+:\s*[\w#-]+;|^(https?|data|mailto|javascript):|^[\w./-]+\.(js|css|html?|png|jpe?g|gif|svg|mp[34]|json|xml)(\?\S*)?$/i.test(
    text,
  ) ||
  text.split('\n').some((line) => {
    const keyword = /\b(function|var|return)\b/i.exec(line);
    return keyword !== null && /[({;]/.test(line.slice(keyword.index));
  });

/** Whether learners are shown a value, as far as its key says. */
export function isShownKey(key: string): boolean {
  return shownKey.test(key);
}

/** Paragraphs and headings of HTML in a string. */
function htmlProse(html: string): Prose[] {
  const walker = htmlWalker(false, true);
  walker.write(html);
  walker.end();
  return walker.take().map(({ text, isHeading }) => ({ text, isHeading }));
}

/**
 * The text for people that a string holds; none where it is an identifier, an address, code and the like. A string
 * under a key that learners are shown may be one word; any other has to be a phrase, or HTML that has as many words in
 * all: a slide whose lines are placed one by one.
 */
export function proseOf(value: string, key: string): Prose[] {
  if (value.length < 2 || value.length > 2_000_000 || unshownKey.test(key)) return [];
  const shown = isShownKey(key);
  const isAlternative = /alt(text)?$/i.test(key);
  const isHtml = tag.test(value);
  const pieces = isHtml
    ? htmlProse(value)
    : [
        {
          text: joinWhiteSpace(
            value.includes('&')
              ? htmlProse(value)
                  .map(({ text }) => text)
                  .join(' ')
              : withoutPrivateSigns(value),
          ),
          isHeading: false,
        },
      ];
  const least =
    shown || (isHtml && pieces.reduce((sum, { text }) => sum + wordsIn(text), 0) >= minPhrase) ? 1 : minPhrase;
  return pieces.filter(({ text }) => {
    if (text.length < 2 || !/\p{L}/u.test(text) || looksLikeIdentifier(text) || looksLikeCode(text) || looksDrawn(text))
      return false;
    if (isAlternative && namedByTool.test(text)) return false;
    return wordsIn(text) >= least;
  });
}
