import { Parser } from 'htmlparser2';
import type { Handler } from 'htmlparser2';

/**
 * Elements nested deeper than this are closed immediately, and their content belongs to the parent. Browsers do the
 * same at 512.
 */
const deepestNesting = 512;

/** An HTML parser whose time and memory do not grow with the nesting depth. */
export class ShallowParser extends Parser {
  private readonly depth: () => number;
  /** Whether the current tag belongs to a flattened element. */
  private flat = false;
  private opening = false;
  /** Number of flattened elements whose closing tags are still to come. */
  private flattened = 0;

  /** @param depth returns the number of open elements */
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
