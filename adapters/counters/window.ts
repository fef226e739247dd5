import type { Allowance } from './port.ts';

/** Requests that came close together: the window forgets them together, when the last of them has left it. */
export interface Group {
  /** Time of the first request, in milliseconds. */
  first: number;
  /** Time of the last request, in milliseconds. */
  last: number;
  count: number;
}

/** The requests of one key that its window still counts, oldest group first. */
export interface Window {
  windowMs: number;
  total: number;
  groups: Group[];
}

/** Parts of a window whose requests may share a group: the finer, the sooner places come back, the more is kept. */
export const groupsInWindow = 60;

/** A window in which nothing was counted yet. */
export function emptyWindow(windowMs: number): Window {
  return { windowMs, total: 0, groups: [] };
}

/** Forgets what has left the window at `now` (milliseconds). */
export function forget(window: Window, now: number): void {
  let gone = 0;
  for (const group of window.groups) {
    if (group.last + window.windowMs > now) break;
    window.total -= group.count;
    gone += 1;
  }
  if (gone > 0) window.groups.splice(0, gone);
}

/**
 * Takes one place of a sliding window, if there is room. This is the sliding log with neighbours joined: a request
 * counts until the last one of its group leaves, so no stretch of `windowMs` ever holds more than `limit` requests,
 * and a place comes back at most a sixtieth of the window late. Changes `window`.
 */
export function takePlace(window: Window, limit: number, clock: number): Allowance {
  const newest = window.groups.at(-1);
  // A clock that was set back must not order groups wrongly.
  const now = Math.max(clock, newest?.last ?? clock);
  forget(window, now);
  if (window.total < limit) {
    const open = window.groups.at(-1);
    if (open !== undefined && now - open.first < window.windowMs / groupsInWindow) {
      open.last = now;
      open.count += 1;
    } else {
      window.groups.push({ first: now, last: now, count: 1 });
    }
    window.total += 1;
    return { allowed: true, limit, remaining: limit - window.total, resetMs: window.windowMs };
  }
  return { allowed: false, limit, remaining: 0, resetMs: untilRoom(window, limit, now) };
}

/** Milliseconds until the window holds less than `limit`; the limit may have been lowered since. */
function untilRoom(window: Window, limit: number, now: number): number {
  let left = window.total;
  for (const group of window.groups) {
    left -= group.count;
    if (left < limit) return group.last + window.windowMs - now;
  }
  return window.windowMs;
}
