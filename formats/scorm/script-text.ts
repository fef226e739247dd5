import { asHeading } from '../clean.ts';
import type { Branch, Literal } from './literals.ts';
import { literalsOf } from './literals.ts';
import { isShownKey, proseOf } from './prose.ts';

/** A text that a script displays. */
export interface ScriptText {
  text: string;
  isHeading: boolean;
  /** Title of the nearest enclosing object: a slide, a question; or null. */
  title: string | null;
  /** Its index in a list of slides, or null. */
  slide: number | null;
  /** Id of its enclosing object. */
  objectId: number;
}

const slideList = /^(slides?|slideData|slideList|pages|screens|frames|cards)$/i;
const slideCall = /(^|\.)(slides?\.push|addSlide|Slide)$/;
const titleKeys = ['title', 'displayTitle', 'slideTitle', 'pageTitle', 'heading', 'header'];
/** Keys of the tool's own texts and fonts: Storyline's string tables, translations of H5P. */
const ofProgram = /^(string_?tables?|font_?lib|l10n|i18n)$/i;
/** Scenes that Storyline adds to every course: prompts, warnings. */
const addedScene = /^(MsgScene_\w+|PromptScene)$/;
/** Maximum nesting of scripts within strings. */
const deepestPacking = 3;

interface Context {
  title: string | null;
  slide: number | null;
  objectId: number;
}

const isObjectText = (value: string): boolean => /^\s*[[{]/.test(value) && value.length > 20;

/** The data packed in a string: JSON as text or Base64; null for other strings. */
function packed(value: string): string | null {
  if (isObjectText(value)) return value;
  if (value.length < 120 || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null;
  let text = Buffer.from(value, 'base64').toString('utf8');
  if (/^%7B|^%5B/i.test(text)) {
    try {
      text = decodeURIComponent(text);
    } catch {
      // Not escaped after all.
      return null;
    }
  }
  return isObjectText(text) ? text : null;
}

/** Whether a branch belongs to the authoring tool and not to the author. */
function isOfProgram({ name, children }: Branch): boolean {
  return (
    ofProgram.test(name) ||
    children.some(({ key, value }) => key === 'id' && typeof value === 'string' && addedScene.test(value))
  );
}

function titleOf({ children }: Branch): string | null {
  for (const titleKey of titleKeys) {
    const found = children.find(
      ({ key, value }) => typeof value === 'string' && key.toLowerCase() === titleKey.toLowerCase(),
    );
    if (typeof found?.value !== 'string') continue;
    const text = proseOf(found.value, 'title')
      .map((prose) => prose.text)
      .join(' ');
    if (text !== '') return asHeading(text);
  }
  return null;
}

/**
 * The texts of a script or of JSON that are displayed to learners, in order. A data file yields all of its phrases; a
 * code file only those in lists of objects under displayed keys, not its messages.
 */
export function scriptTexts(source: string): ScriptText[] {
  const texts: (ScriptText & { isListed: boolean })[] = [];
  const said = new Set<string>();
  let things = 0;
  let codeWords = 0;

  const say = (value: string, key: string, { title, slide, objectId }: Context, isListed: boolean): void => {
    for (const { text, isHeading } of proseOf(value, key)) {
      // Players repeat texts for screen readers.
      const identity = `${slide ?? objectId} ${text}`;
      if (said.has(identity)) continue;
      said.add(identity);
      texts.push({ text, isHeading: isHeading || titleKeys.includes(key), title, slide, objectId, isListed });
    }
  };
  const read = (text: string, context: Context, packing: number): void => {
    const script = literalsOf(text);
    if (script === null) return;
    codeWords += script.codeWords;
    let calledSlides = 0;
    const walk = (literal: Literal, key: string, context: Context, isListed: boolean): void => {
      if (typeof literal === 'string') {
        const inner = packing < deepestPacking ? packed(literal) : null;
        if (inner === null) say(literal, key, context, isListed && isShownKey(key));
        else read(inner, context, packing + 1);
        return;
      }
      if (isOfProgram(literal)) return;
      let here = context;
      if (literal.kind !== 'list') {
        const title = titleOf(literal);
        const isSlide = context.slide === null && literal.kind === 'call' && slideCall.test(literal.name);
        if (title !== null || isSlide)
          here = { title: title ?? context.title, slide: isSlide ? ++calledSlides : context.slide, objectId: ++things };
      }
      const holdsSlides = literal.kind === 'list' && context.slide === null && slideList.test(literal.name);
      let number = 0;
      for (const { key: childKey, value } of literal.children) {
        const child =
          holdsSlides && typeof value !== 'string' ? { title: here.title, slide: ++number, objectId: ++things } : here;
        // Lectora stores page objects as HTML: `{innerHtml: '...'}`.
        const isPlaced = literal.kind === 'object' && childKey === 'innerHtml';
        // A string in a list has the list's key: `bullets: ['...']`.
        walk(
          value,
          childKey === '' && literal.kind === 'list' ? literal.name : childKey,
          child,
          isListed || isPlaced || literal.kind === 'list',
        );
      }
    };
    for (const { key, value } of script.root.children) walk(value, key, context, false);
  };

  read(source, { title: null, slide: null, objectId: 0 }, 0);
  return codeWords * 3 <= texts.length ? texts : texts.filter(({ isListed }) => isListed);
}
