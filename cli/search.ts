import type { SearchItem } from '../models/api.ts';
import type { Location } from '../models/block.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { CommandError, connect } from './connection.ts';
import { askOperator } from './operator.ts';
import { printable } from './terminal.ts';

/** A time in a recording: minutes and seconds, and hours if there are any. */
export function timeOf(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const padded = [minutes, whole % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return hours > 0 ? `${hours}:${padded}` : padded;
}

/** Describes the location of a passage. */
export function describeLocation(location: Location): string {
  const {
    page,
    sheet,
    row,
    column,
    heading,
    lineStart,
    lineEnd,
    element,
    block,
    resource,
    title,
    slide,
    source,
    startSeconds,
    endSeconds,
    playFromSeconds,
  } = location;
  const parts = [
    startSeconds === undefined || endSeconds === undefined
      ? ''
      : `at ${timeOf(playFromSeconds ?? startSeconds)} (${timeOf(startSeconds)}-${timeOf(endSeconds)})${source === 'slide' ? ', on the screen' : ''}`,
    resource === undefined ? '' : printable(resource),
    title === undefined ? '' : `"${printable(title)}"`,
    slide === undefined ? '' : `slide ${slide}`,
    page === undefined ? '' : `page ${page}`,
    sheet === undefined ? '' : `sheet ${printable(sheet)}`,
    row === undefined ? '' : `row ${row}`,
    column === undefined ? '' : `column ${column}`,
    lineStart === undefined
      ? ''
      : lineEnd === undefined || lineEnd === lineStart
        ? `line ${lineStart}`
        : `lines ${lineStart}-${lineEnd}`,
    heading === undefined || heading === title ? '' : `under "${printable(heading)}"`,
    element === undefined ? '' : `element ${element}`,
    block === undefined ? '' : `block ${block}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** A snippet with its highlights: bold on a terminal, in brackets elsewhere. */
export function highlighted(
  snippet: string,
  highlights: readonly { start: number; end: number }[],
  isTerminal: boolean,
): string {
  const [open, close] = isTerminal ? ['\u001b[1m', '\u001b[0m'] : ['[', ']'];
  let text = '';
  let position = 0;
  for (const { start, end } of highlights) {
    text += `${printable(snippet.slice(position, start))}${open}${printable(snippet.slice(start, end))}${close}`;
    position = end;
  }
  return text + printable(snippet.slice(position));
}

/**
 * `ply search "<words>"`: prints passages with their location and highlights. With `--as`, those that a reader with
 * these principals finds.
 */
export async function search(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { query, principals } = parseArguments(words);
  if (query === '') throw new CommandError('Missing the query: npm run ply -- search "<words>"');
  const { items, withheldAsWeak } = await found(configuration, {
    query,
    limit: 10,
    ...(principals.length > 0 ? { principals } : {}),
  });
  if (items.length === 0)
    return `Nothing found for "${printable(query)}"${withheldAsWeak > 0 ? ` (${withheldAsWeak} passages were too weak to show)` : ''}.`;
  const isTerminal = process.stdout.isTTY;
  return items
    .map(
      (item, index) =>
        `${index + 1}. ${printable(item.filename)}, ${describeLocation(item.location)}  (${item.confidence}, ${item.relevance.toFixed(2)})\n   ${highlighted(item.snippet, item.highlights, isTerminal)}`,
    )
    .join('\n\n');
}

/** A search as another reader uses the operator's socket, which records it in the audit first; others use the API. */
async function found(
  configuration: Configuration,
  request: { query: string; limit: number; principals?: string[] },
): Promise<Found> {
  if (request.principals === undefined) {
    const body = await (await connect(configuration)).ask('POST', '/search', request);
    return { items: body['items'] as SearchItem[], withheldAsWeak: Number(body['withheldAsWeak']) };
  }
  const organizationId =
    configuration.PLY_ORGANIZATION_ID ?? (await askOperator(configuration, 'account.show', {})).organizationId;
  return askOperator(configuration, 'search.as', { organizationId, request }, 'searcher');
}

interface Found {
  items: SearchItem[];
  withheldAsWeak: number;
}

/** All arguments except for `--as <principal>` belong to the query. */
function parseArguments(words: readonly string[]): { query: string; principals: string[] } {
  const [rest, principals]: [string[], string[]] = [[], []];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word !== '--as') rest.push(word);
    else if (words[at + 1] === undefined)
      throw new CommandError('Missing the principal: npm run ply -- search "<words>" --as <principal>');
    else principals.push(words[(at += 1)] ?? '');
  }
  return { query: rest.join(' ').trim(), principals };
}
