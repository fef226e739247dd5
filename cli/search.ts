import type { SearchItem } from '../models/api.ts';
import type { Location } from '../models/block.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { CommandError, connect } from './connection.ts';
import { printable } from './terminal.ts';

/** A time in a recording as players show it: minutes and seconds, and hours where there are any. */
export function timeOf(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const padded = [minutes, whole % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return hours > 0 ? `${hours}:${padded}` : padded;
}

/** Says where a passage stands, in words. */
export function placeOf(location: Location): string {
  const { page, sheet, row, column, heading, lineStart, lineEnd, element, block, resource, title, slide, source, startSeconds, endSeconds, playFromSeconds } = location;
  const parts = [
    startSeconds === undefined || endSeconds === undefined ? '' : `at ${timeOf(playFromSeconds ?? startSeconds)} (${timeOf(startSeconds)}-${timeOf(endSeconds)})${source === 'slide' ? ', on the screen' : ''}`,
    resource === undefined ? '' : printable(resource),
    title === undefined ? '' : `"${printable(title)}"`,
    slide === undefined ? '' : `slide ${slide}`,
    page === undefined ? '' : `page ${page}`,
    sheet === undefined ? '' : `sheet ${printable(sheet)}`,
    row === undefined ? '' : `row ${row}`,
    column === undefined ? '' : `column ${column}`,
    lineStart === undefined ? '' : lineEnd === undefined || lineEnd === lineStart ? `line ${lineStart}` : `lines ${lineStart}-${lineEnd}`,
    heading === undefined ? '' : `under "${printable(heading)}"`,
    element === undefined ? '' : `element ${element}`,
    block === undefined ? '' : `block ${block}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** A snippet with its marked words: in bold on a terminal, between brackets elsewhere. */
export function marked(snippet: string, highlights: readonly { start: number; end: number }[], isTerminal: boolean): string {
  const [open, close] = isTerminal ? ['\u001b[1m', '\u001b[0m'] : ['[', ']'];
  let text = '';
  let place = 0;
  for (const { start, end } of highlights) {
    text += `${printable(snippet.slice(place, start))}${open}${printable(snippet.slice(start, end))}${close}`;
    place = end;
  }
  return text + printable(snippet.slice(place));
}

/** `ply search "<words>"`: prints passages with their place and marked words. */
export async function search(configuration: Configuration, words: readonly string[]): Promise<string> {
  const query = words.join(' ').trim();
  if (query === '') throw new CommandError('Say what to look for: npm run ply -- search "<words>"');
  const connection = await connect(configuration);
  const body = await connection.ask('POST', '/search', { query, limit: 10 });
  const items = body['items'] as SearchItem[];
  const withheld = Number(body['withheldAsWeak']);
  if (items.length === 0) return `Nothing found for "${printable(query)}"${withheld > 0 ? ` (${withheld} passages were too weak to show)` : ''}.`;
  const isTerminal = process.stdout.isTTY;
  return items.map((item, place) => `${place + 1}. ${printable(item.filename)}, ${placeOf(item.location)}  (${item.confidence}, ${item.relevance.toFixed(2)})\n   ${marked(item.snippet, item.highlights, isTerminal)}`).join('\n\n');
}
