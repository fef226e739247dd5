import { asHeading } from '../clean.ts';
import type { Branch, Literal } from './literals.ts';
import { literalsOf } from './literals.ts';
import { isShownKey, proseOf } from './prose.ts';

/** A text that a script shows. */
export interface ScriptText {
  text: string;
  isHeading: boolean;
  /** Title of the nearest thing around it that has one: a slide, a question; null for none. */
  title: string | null;
  /** Its slide in a list of slides; null elsewhere. */
  slide: number | null;
  /** Texts of unlike things have unlike numbers. */
  thing: number;
}

const slideList = /^(slides?|slideData|slideList|pages|screens|frames|cards)$/i;
const slideCall = /(^|\.)(slides?\.push|addSlide|Slide)$/;
const titleKeys = ['title', 'displayTitle', 'slideTitle', 'pageTitle', 'heading', 'header'];
/**
 * What a tool's program says in addition to the course, and in which fonts: the tables of Storyline's player, translations of
 * H5P.
 */
const ofProgram = /^(string_?tables?|font_?lib|l10n|i18n)$/i;
/** Scenes that Storyline adds to every course: questions whether to go on, warnings. */
const addedScene = /^(MsgScene_\w+|PromptScene)$/;
/** Scripts in strings of scripts in strings: no player goes deeper. */
const deepestPacking = 3;

interface Context {
  title: string | null;
  slide: number | null;
  thing: number;
}

const isObjectText = (value: string): boolean => /^\s*[[{]/.test(value) && value.length > 20;

/** The data that a string packs: JSON as text, or in Base64. Null for any other string. */
function packed(value: string): string | null {
  if (isObjectText(value)) return value;
  if (value.length < 120 || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return null;
  let text = Buffer.from(value, 'base64').toString('utf8');
  if (/^%7B|^%5B/i.test(text)) {
    try {
      text = decodeURIComponent(text);
    } catch {
      // Only looks escaped.
      return null;
    }
  }
  return isObjectText(text) ? text : null;
}

/** Whether a branch is of the tool that made the course and not of its author. */
function isOfProgram({ name, children }: Branch): boolean {
  return (
    ofProgram.test(name) ||
    children.some(({ key, value }) => key === 'id' && typeof value === 'string' && addedScene.test(value))
  );
}

function titleOf({ children }: Branch): string | null {
  for (const wanted of titleKeys) {
    const found = children.find(
      ({ key, value }) => typeof value === 'string' && key.toLowerCase() === wanted.toLowerCase(),
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
 * The texts of a script or of JSON that learners are shown, in their order. A file of data gives all of its phrases; of
 * a file of code only what is in lists of objects under keys that are shown counts, not its messages.
 */
export function scriptTexts(source: string): ScriptText[] {
  const texts: (ScriptText & { isListed: boolean })[] = [];
  const said = new Set<string>();
  let things = 0;
  let codeWords = 0;

  const say = (value: string, key: string, { title, slide, thing }: Context, isListed: boolean): void => {
    for (const { text, isHeading } of proseOf(value, key)) {
      // Players repeat texts for screen readers.
      const once = `${slide ?? thing} ${text}`;
      if (said.has(once)) continue;
      said.add(once);
      texts.push({ text, isHeading: isHeading || titleKeys.includes(key), title, slide, thing, isListed });
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
          here = { title: title ?? context.title, slide: isSlide ? ++calledSlides : context.slide, thing: ++things };
      }
      const holdsSlides = literal.kind === 'list' && context.slide === null && slideList.test(literal.name);
      let number = 0;
      for (const { key: childKey, value } of literal.children) {
        const child =
          holdsSlides && typeof value !== 'string' ? { title: here.title, slide: ++number, thing: ++things } : here;
        // Lectora writes what an object of a page holds as HTML, each with its key: `{innerHtml: '...'}`.
        const isPlaced = literal.kind === 'object' && childKey === 'innerHtml';
        // An element of a list of strings is what the list is called: `bullets: ['...']`.
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

  read(source, { title: null, slide: null, thing: 0 }, 0);
  return codeWords * 3 <= texts.length ? texts : texts.filter(({ isListed }) => isListed);
}
