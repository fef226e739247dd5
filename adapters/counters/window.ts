import type { Allowance } from './port.ts';

/** Requests that arrived close together. They leave the window together, when the last of them leaves. */
export interface Group {
  /** Time of the first request, in milliseconds. */
  first: number;
  /** Time of the last request, in milliseconds. */
  last: number;
  count: number;
}

/** The requests of a key in its current window, oldest group first. */
export interface Window {
  windowMs: number;
  total: number;
  groups: Group[];
}

/** Parts of a window whose requests share a group. More parts free capacity sooner and use more memory. */
export const groupsInWindow = 60;

/** An empty window. */
export function emptyWindow(windowMs: number): Window {
  return { windowMs, total: 0, groups: [] };
}

/** Removes the groups that have left the window at `now` (milliseconds). */
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
 * Counts a request in a sliding window if the limit allows it. This is a sliding log with grouped neighbours: a request
 * counts until the last one of its group leaves, so no interval of `windowMs` ever has more than `limit` requests, and
 * capacity is freed at most a sixtieth of the window late. Changes `window`.
 */
export function countRequest(window: Window, limit: number, clock: number): Allowance {
  const newest = window.groups.at(-1);
  // The clock may be set back; groups stay in order.
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

/** Milliseconds until the window has fewer than `limit` requests. The limit may have been lowered since. */
function untilRoom(window: Window, limit: number, now: number): number {
  let left = window.total;
  for (const group of window.groups) {
    left -= group.count;
    if (left < limit) return group.last + window.windowMs - now;
  }
  return window.windowMs;
}
