import { joinWhiteSpace, withoutPrivateUse } from '../clean.ts';
import { htmlWalker } from '../html-walk.ts';

/** Text in a string of a script: a paragraph, or an HTML heading. */
export interface Prose {
  text: string;
  isHeading: boolean;
}

/** Keys of displayed values, alone or at the end of a longer key (`bodyText`). */
const shownKey =
  /(^|_|[a-z](?=[A-Z]))(title|text|heading|header|html|body|caption|question|answer|feedback|description|content|paragraph|transcript|subtitle|summary|prompt|instructions?|notes?|definition|term|statement|stem|narration|bullets?|points?|choices?|options?|alt|label)s?$/i;
/** Keys of values that are never displayed. */
const unshownKey =
  /(class(es|name|list)?|style|css|id|ids|href|src|url|path|file|filename|selector|font|fonts|fontfamily|icon|type|layout|colou?r|transition|easing|version|licen[cs]e|copyright|author|email|date|lang|language|format|encoding|mime|query|regex|pattern|token|key|xmlns)$/i;
const tag = /<\/?[a-z][^<>]*>/i;
const words = /[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’.-]*/gu;
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/gu;

const longestFontName = 200;

/** SVG paths (SVG 1.1, 8.3), and generated font names (`Open Sans Charset0_v9TY33EDE6F2`). */
const looksDrawn = (text: string): boolean =>
  /^m\s*-?\d[\d.,\s-]*[lhvcsqtaz]\s*-?[\d.]/i.test(text) ||
  /\S(charset|chars|bold|italic|regular|light)\w*[0-9a-f]{6,}$|\bcharset\w*[0-9a-f]{6,}$/i.test(
    text.slice(-longestFontName),
  );
/** Generated names of shapes and pictures: `Rectangle 12`, a file name. */
const namedByTool = /^\p{L}+(?: \p{L}+){0,2} \d{1,4}$|\.(?:png|jpe?g|gif|svg|webp|wmf|emf)$/iu;

/** Minimum number of words of a phrase. */
const minPhrase = 3;

/** Number of words; letters of scripts without spaces count as half a word. */
function wordsIn(text: string): number {
  const unspaced = text.match(unspacedScript)?.length ?? 0;
  return unspaced > 0 ? unspaced / 2 : (text.match(words)?.length ?? 0);
}

/** Whether a text without spaces is an identifier, address or value. */
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

/** Whether a value is displayed to learners, by its key. */
export function isShownKey(key: string): boolean {
  return shownKey.test(key);
}

/** The paragraphs and headings of an HTML string. */
function htmlProse(html: string): Prose[] {
  const walker = htmlWalker(false, true);
  walker.write(html);
  walker.end();
  return walker.take().map(({ text, isHeading }) => ({ text, isHeading }));
}

/**
 * The text in a string; empty for identifiers, addresses, code and the like. A string under a displayed key may be one
 * word; any other must be a phrase, or HTML with enough words in total (a slide with positioned lines).
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
              : withoutPrivateUse(value),
          ),
          isHeading: false,
        },
      ];
  const minWords =
    shown || (isHtml && pieces.reduce((sum, { text }) => sum + wordsIn(text), 0) >= minPhrase) ? 1 : minPhrase;
  return pieces.filter(({ text }) => {
    if (text.length < 2 || !/\p{L}/u.test(text) || looksLikeIdentifier(text) || looksLikeCode(text) || looksDrawn(text))
      return false;
    if (isAlternative && namedByTool.test(text)) return false;
    return wordsIn(text) >= minWords;
  });
}
