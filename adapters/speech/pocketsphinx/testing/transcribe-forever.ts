import { systemRuntime } from '../../../../models/runtime.ts';
import { silence } from '../../conformance.ts';
import { openPocketsphinx } from '../pocketsphinx.ts';

/** A process that transcribes with the program and the folder that it is given, to be killed in the middle. */
const [, , program = '', folder = ''] = process.argv;
const transcriber = openPocketsphinx({ program, folder, seconds: 60, runtime: systemRuntime });
await transcriber.transcribe({ wav: silence(1), seconds: 1, language: null, signal: new AbortController().signal });
