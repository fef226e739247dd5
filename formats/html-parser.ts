import { Parser } from 'htmlparser2';
import type { Handler } from 'htmlparser2';

/**
 * Elements nested deeper than this end where they begin, and what they hold belongs to the element around them.
 * Browsers do the same at 512.
 */
const deepestNesting = 512;

/** A parser of HTML whose time and memory do not grow with how deep the elements of a page are nested. */
export class ShallowParser extends Parser {
  private readonly depth: () => number;
  /** The tag that is being read opens or closes an element that is not nested. */
  private flat = false;
  private opening = false;
  /** Elements that ended where they began, and whose closing tags are still to come. */
  private flattened = 0;

  /** @param depth answers how many elements are open */
  constructor(handler: Partial<Handler>, isXml: boolean, depth: () => number) {
    super(handler, {
      decodeEntities: true,
      lowerCaseTags: true,
      lowerCaseAttributeNames: true,
      recognizeSelfClosing: isXml,
      recognizeCDATA: isXml,
    });
    this.depth = depth;
  }

  protected override isVoidElement(name: string): boolean {
    if (super.isVoidElement(name)) return true;
    if (this.flat && this.opening) this.flattened++;
    this.opening = false;
    return this.flat;
  }

  override onopentagname(start: number, end: number): void {
    this.flat = this.depth() > deepestNesting;
    this.opening = true;
    super.onopentagname(start, end);
    this.opening = false;
  }

  override onclosetag(start: number, end: number): void {
    this.flat = this.flattened > 0;
    if (this.flat) this.flattened--;
    super.onclosetag(start, end);
    this.flat = false;
  }
}
