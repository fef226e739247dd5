import { printable } from './terminal.ts';

/** A progress line at the bottom of the terminal; silent without a terminal. */
export class ProgressBar {
  private readonly output: NodeJS.WriteStream;
  private readonly width = 30;
  private shown = '';

  constructor(output: NodeJS.WriteStream) {
    this.output = output;
  }

  /** Shows `done` of `total`, with a short text. */
  show(done: number, total: number, words: string): void {
    const filled = total === 0 ? this.width : Math.round((done / total) * this.width);
    this.note(`[${'#'.repeat(filled)}${'.'.repeat(this.width - filled)}] ${done}/${total} ${words}`);
  }

  /** Shows a short text alone. */
  note(words: string): void {
    if (!this.output.isTTY) return;
    const line = printable(words).slice(0, (this.output.columns || 80) - 1);
    if (line === this.shown) return;
    this.output.write(`\r${line.padEnd(this.shown.length)}`);
    this.shown = line;
  }

  /** Removes the line. */
  clear(): void {
    if (this.shown !== '') this.output.write(`\r${' '.repeat(this.shown.length)}\r`);
    this.shown = '';
  }
}
