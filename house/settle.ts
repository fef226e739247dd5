import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** When the start is over in every part: the model's threads stand a moment after the rest. */
const afterMs = 1500;

/**
 * Gives back the memory that the start took and needs no more: half of the main thread's heap. V8 looks for garbage when
 * memory is asked for, so a program that does nothing would keep it for good. It is one collection of tens of
 * milliseconds, of its own task; where this engine has no such function, nothing is done.
 */
export function settleLater(): void {
  setTimeout(() => {
    setFlagsFromString('--expose-gc');
    // Contexts made from now on have the function; the program's own does not get it.
    const collect: unknown = runInNewContext("typeof gc === 'function' ? gc : null");
    setFlagsFromString('--no-expose-gc');
    if (isCollector(collect)) collect({ type: 'major', execution: 'async' });
  }, afterMs).unref();
}

function isCollector(value: unknown): value is (how: { type: 'major'; execution: 'async' }) => unknown {
  return typeof value === 'function';
}
