import { joinWhiteSpaceInLines } from './clean.ts';

/**
 * An element of a page of a dynamic form (XFA, ISO 32000-1, 12.7.8) as pdf.js lays it out. The PDF's own page asks to
 * wait for a better viewer, and holds nothing of the form.
 */
export interface FormNode {
  name?: string;
  value?: string;
  children?: readonly (FormNode | null)[];
  attributes?: {
    class?: readonly string[];
    style?: Record<string, unknown>;
    type?: string;
    /** What a field of one line holds. */
    value?: unknown;
    /** What a field of several lines holds, and the plain text of an element. */
    textContent?: unknown;
    /** Set on the option of a choice that is chosen. */
    selected?: boolean;
  };
}

const ownLines = new Set(['xfaField', 'xfaDraw']);
/** What is drawn, or is there to be pressed. */
const withoutText = new Set(['img', 'svg', 'button']);

/** What a field holds that is filled in; nothing of secrets, marks and choices that were not made. */
function filledIn({ name, value, attributes = {} }: FormNode): unknown {
  if (name === 'option') return attributes.selected === true ? value : '';
  return name === 'textarea' ? attributes.textContent : attributes.type === 'text' ? attributes.value : '';
}

/** The text of a page of a dynamic form: a line of it per paragraph, or per field with its label. */
export function formText(page: FormNode | null): string {
  let text = '';
  const walk = (node: FormNode, inField: boolean): void => {
    const { name = '', value, children = [], attributes = {} } = node;
    const { style = {}, class: classes = [] } = attributes;
    if (withoutText.has(name) || style['visibility'] === 'hidden' || style['display'] === 'none') return;
    const isField = classes.includes('xfaField');
    const isInline = name === 'span' || name === '#text';
    const between = isInline
      ? ''
      : inField
        ? ' '
        : classes.some((one) => ownLines.has(one)) || name === 'p' || name === 'br'
          ? '\n'
          : '';
    text += between;
    if (name === 'input' || name === 'textarea' || name === 'option') {
      const filled = filledIn(node);
      text += typeof filled === 'string' ? ` ${filled}` : '';
    } else {
      text += value ?? (typeof attributes.textContent === 'string' ? attributes.textContent : '');
      for (const child of children) if (child !== null) walk(child, inField || isField);
    }
    text += between;
  };
  if (page !== null) walk(page, false);
  return joinWhiteSpaceInLines(text);
}
