import { joinWhiteSpaceInLines } from './clean.ts';

/**
 * An element of a page of a dynamic form (XFA, ISO 32000-1, 12.7.8) from pdf.js. The PDF's own page only asks for a
 * better viewer and holds nothing of the form.
 */
export interface FormNode {
  name?: string;
  value?: string;
  children?: readonly (FormNode | null)[];
  attributes?: {
    class?: readonly string[];
    style?: Record<string, unknown>;
    type?: string;
    /** The value of a single-line field. */
    value?: unknown;
    /** The value of a multi-line field, and the plain text of an element. */
    textContent?: unknown;
    /** Whether the option of a choice is selected. */
    selected?: boolean;
  };
}

const ownLines = new Set(['xfaField', 'xfaDraw']);
/** Pictures and buttons. */
const withoutText = new Set(['img', 'svg', 'button']);

/** The value of a field; empty for passwords, checkboxes and unselected options. */
function fieldValue({ name, value, attributes = {} }: FormNode): unknown {
  if (name === 'option') return attributes.selected === true ? value : '';
  return name === 'textarea' ? attributes.textContent : attributes.type === 'text' ? attributes.value : '';
}

/** The text of a page of a dynamic form: one line for each paragraph, or for each field with its label. */
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
      const filled = fieldValue(node);
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
