import type { Case } from './judge.ts';

/*
 * What the door and Azurite itself make of the same suite, and which failures come of what the door does not offer.
 */

/** What titles of cases say of features that the door does not offer, where the answer does not: a status differs, say. */
const features: readonly (readonly [words: RegExp, what: string])[] = [
  [/\btags?\b|ifTags/i, 'Tags'],
  [/lease/i, 'Leases'],
  [/snapshot/i, 'Snapshots'],
  [/\btier|archive|accesstier/i, 'Access tiers'],
  [/append|sealed/i, 'Append blobs'],
  [/page blob/i, 'Page blobs'],
];

/** The feature that is not offered and that a failed case is about; null where it failed for another reason. */
export function featureOf({ name, outcome, reason }: Case): string | null {
  if (outcome !== 'failed') return null;
  const [, said] = /^(.+) are not offered\.$/.exec(reason) ?? [];
  return said ?? features.find(([words]) => words.test(name))?.[1] ?? null;
}

/** The cases of a file of tests, as the door and as Azurite answered them. */
export interface Compared {
  file: string;
  door: Case[];
  /** Empty where Azurite was not run. */
  azurite: Case[];
}

const passes = (cases: readonly Case[]): number => cases.filter(({ outcome }) => outcome === 'passed').length;

/** A table with a line for each file, and one of the failures by feature. */
export function comparisonOf(files: readonly Compared[]): string[] {
  const rows = files.map(({ file, door, azurite }) => {
    const absent = new Set(door.filter((each) => featureOf(each) !== null).map(({ name }) => name));
    const offered = (cases: readonly Case[]): Case[] => cases.filter(({ name }) => !absent.has(name));
    const remaining = offered(door).filter(({ outcome }) => outcome === 'failed').length;
    const of = (cases: readonly Case[]): string => (cases.length === 0 ? 'not run' : String(passes(cases)));
    return `| ${[file, door.length, passes(door), of(azurite), absent.size, remaining, offered(door).length, passes(offered(door)), of(offered(azurite))].join(' | ')} |`;
  });
  const byFeature = Map.groupBy(
    files.flatMap(({ door }) => door).filter((each) => featureOf(each) !== null),
    (each) => featureOf(each) ?? '',
  );
  const counts = [...byFeature].toSorted(([, ones], [, others]) => others.length - ones.length);
  return [
    '| file | cases | the door passes | Azurite itself passes | fail for a feature that is not offered | fail otherwise | cases of what is offered | the door passes of these | Azurite passes of these |',
    '|---|---|---|---|---|---|---|---|---|',
    ...rows,
    '',
    `Failures by the feature that is not offered: ${counts.map(([what, cases]) => `${what.toLowerCase()} ${cases.length}`).join(', ')}.`,
  ];
}
