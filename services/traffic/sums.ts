import type { ServedRow, TrafficSums } from '../../models/traffic.ts';

/** Sums of nothing. */
export function noSums(): TrafficSums {
  return [0, 0, 0, 0, 0, 0, 0, 0];
}

/** Adds one response. */
export function addRow(sums: TrafficSums, [, status, bytes, , cache]: ServedRow): void {
  sums[0] += bytes;
  sums[1] += 1;
  if (cache === 'h') sums[2] += 1;
  if (cache === 'm') sums[3] += 1;
  if (status >= 200 && status < 300) sums[4] += 1;
  else if (status >= 300 && status < 400) sums[5] += 1;
  else if (status >= 400 && status < 500) sums[6] += 1;
  else if (status >= 500 && status < 600) sums[7] += 1;
}

/** Adds other sums. */
export function addSums(sums: TrafficSums, added: Readonly<TrafficSums>): void {
  for (const [at, value] of added.entries()) sums[at] = (sums[at] ?? 0) + value;
}

/** Sums by hour with others added; those that were handed in stay as they are. */
export function hoursWith(
  hours: { readonly [hour: string]: Readonly<TrafficSums> },
  added: { readonly [hour: string]: Readonly<TrafficSums> },
): { [hour: string]: TrafficSums } {
  const all: { [hour: string]: TrafficSums } = {};
  for (const source of [hours, added])
    for (const [hour, sums] of Object.entries(source)) addSums((all[hour] ??= noSums()), sums);
  return all;
}

/** The sum of all hours. */
export function sumOfHours(hours: { readonly [hour: string]: Readonly<TrafficSums> }): TrafficSums {
  const sum = noSums();
  for (const sums of Object.values(hours)) addSums(sum, sums);
  return sum;
}
