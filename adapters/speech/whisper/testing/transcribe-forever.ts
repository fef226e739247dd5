import { WhisperProcess } from '../process.ts';

/** A process that has a transcribing process work without end and prints its id, to be killed in the middle. */
const [, , program = '', folder = ''] = process.argv;
const child = await WhisperProcess.start({ folder, program, memoryMegabytes: 500 });
console.log(child.pid);
await child.transcribe(
  { samples: new Int16Array(16_000), language: null, expected: null },
  { signal: new AbortController().signal, milliseconds: 600_000 },
);
