import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { variables } from '../models/configuration/configuration.ts';
import { errorCodes, jobErrorCodes } from '../models/errors.ts';
import { projectRoot } from './setup/places.mjs';

const notice = 'This page is made by `node scripts/make-docs.ts`; a test keeps it equal to the code.';

/** Rows of cells as a Markdown table. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The text of docs/configuration.md, made from the table of variables. */
export function configurationPage(): string {
  const rows = Object.entries(variables).map(([name, { kind, shownFallback, purpose }]) => [`\`${name}\``, kind.shape, shownFallback, purpose]);
  return `# Configuration

${notice}

Ply is configured by environment variables alone. An empty variable counts as unset. A variable that is not valid, that
begins with \`PLY_\` and is not listed here, or that is missing beside another, stops the start with a message that names
it. Variables that begin with \`PLY_TEST_\` belong to the tests (see the end).

${table(['variable', 'value', 'where unset', 'what it is for'], rows)}

With \`PLY_NATS_URL\` the processes of a cluster share their stores: \`PLY_MONGO_URL\`, \`PLY_MILVUS_URL\`,
\`PLY_REDIS_URL\`, \`PLY_BLOBS_URL\` and \`PLY_SECRET_KEY\` are then needed too.

## Variables of the tests

${table(
  ['variable', 'what it is for'],
  [
    ['`PLY_TEST_CACHE_DIR`', 'Folder that test servers are installed into; `.cache` in the project where unset.'],
    ['`PLY_TEST_MONGO_URL`', 'A full MongoDB to test against instead of the MongoDB-compatible test server.'],
    ['`PLY_TEST_MILVUS_URL`', 'A full Milvus to test against instead of the small test server.'],
  ],
)}
`;
}

/** The text of docs/errors.md, made from the registry of error codes. */
export function errorsPage(): string {
  const answers = Object.entries(errorCodes).map(([code, { status, meaning }]) => [`\`${code}\``, String(status), meaning]);
  const jobs = Object.entries(jobErrorCodes).map(([code, meaning]) => [`\`${code}\``, meaning]);
  return `# Errors

${notice}

## Answers

An answer that is not a success has the body \`{"code", "detail", "fields"?, "field"?, "retryable"?, "requestId"?}\`.
Decide by \`code\`; \`detail\` is for people. \`fields\` is the path of the first field at fault, outermost first, and
stands on \`validation_error\` alone; \`field\` is the same path joined with dots. With \`retryable\` the same request may
succeed later.

${table(['code', 'status', 'meaning'], answers)}

## Jobs

These stand in the \`errorCode\` of a job and say why it stopped, or what it waits for.

${table(['code', 'meaning'], jobs)}
`;
}

if (import.meta.main) {
  writeFileSync(join(projectRoot, 'docs/configuration.md'), configurationPage());
  writeFileSync(join(projectRoot, 'docs/errors.md'), errorsPage());
}
