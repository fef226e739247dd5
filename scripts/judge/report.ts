import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../setup/paths.mjs';
import type { Capability, Case, Meant, Verdict } from './judge.ts';

/** A page of the documentation that judges write. */
export type Page = 's3-compatibility' | 'blob-compatibility';

const headings: { readonly [P in Page]: string } = {
  's3-compatibility': `# What suites of the S3 protocol say of the door

\`npm run judge -- <suite>\` runs a suite against the program and writes its section. What the door offers, and what it does
not, is in [s3.md](s3.md).`,
  'blob-compatibility': `# What suites of the Blob protocol say of the door

\`npm run judge -- <suite>\` runs a suite against the program and writes its section. What the door offers, and what it does
not, is in [blob.md](blob.md).`,
};

const longestReason = 160;

function cell(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|').replaceAll('<', '&lt;');
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line;
}

/** The first of several things whose sign a failed case has. */
function signed<T extends { sign: RegExp }>({ name, reason, outcome }: Case, things: readonly T[]): T | undefined {
  return outcome === 'failed' ? things.find(({ sign }) => sign.test(`${name}: ${reason}`)) : undefined;
}

/** Failed cases that begin with what is not offered, and how many can pass at most. */
function capabilityLines(cases: readonly Case[], capabilities: readonly Capability[]): string[] {
  const counts = new Map(capabilities.map(({ name }) => [name, 0]));
  for (const each of cases) {
    const found = signed(each, capabilities);
    if (found !== undefined) counts.set(found.name, (counts.get(found.name) ?? 0) + 1);
  }
  const rows = [...counts].filter(([, count]) => count > 0).toSorted(([, one], [, other]) => other - one);
  const without = rows.reduce((sum, [, count]) => sum + count, 0);
  const count = (wanted: Case['outcome']): number => cases.filter(({ outcome }) => outcome === wanted).length;
  const [passed, skipped, most] = [count('passed'), count('skipped'), cases.length - without];
  const others = most - passed - skipped;
  return [
    '',
    `${without} of the failed cases begin with something that the door does not offer. Without it no more than ${most} can pass;`,
    `of those ${most}, ${passed} do, ${skipped === 0 ? `and ${others} do not` : `${others} do not, and ${skipped} skip themselves`}.`,
    '',
    '| not offered | failed cases |',
    '|---|---|',
    ...rows.map(([name, count]) => `| ${name} | ${count} |`),
  ];
}

/** Failed cases that are as they should be, by why, and those that nothing explains. */
function meantLines(cases: readonly Case[], isAbsent: (failed: Case) => boolean, meant: readonly Meant[]): string[] {
  const offered = cases.filter((each) => each.outcome === 'failed' && !isAbsent(each));
  const byReason = Map.groupBy(offered, (each) => signed(each, meant)?.why ?? null);
  const list = (found: readonly Case[]): string => found.map(({ name }) => `\`${name}\``).join(', ');
  const rows = meant.flatMap(({ why }) => {
    const found = byReason.get(why);
    return found === undefined ? [] : [`| ${why} | ${list(found)} |`];
  });
  const rest = byReason.get(null) ?? [];
  return [
    '',
    `${offered.length - rest.length} failures of what is offered are meant${rest.length === 0 ? '.' : `; ${rest.length} are not: ${list(rest)}.`}`,
    ...(rows.length === 0 ? [] : ['', '| why it is meant | cases |', '|---|---|', ...rows]),
  ];
}

/** How another server did in the same run. */
function peerLine({ name, cases }: NonNullable<Verdict['peers']>[number]): string {
  return `${name} in the same run: ${cases.filter(({ outcome }) => outcome === 'passed').length} of ${cases.length}.`;
}

/** The section of a verdict: how many passed, and every case that failed, by its reason. */
export function sectionOf(
  { selection, notes = [], cases, capabilities = [], isAbsent, meant = [], peers = [] }: Verdict,
  day: string,
): string {
  const count = (outcome: string): number => cases.filter((each) => each.outcome === outcome).length;
  const failures = cases.filter(({ outcome }) => outcome === 'failed');
  const byReason = Map.groupBy(failures, ({ reason }) => cell(reason));
  const rows = [...byReason]
    .toSorted(([one, ones], [other, others]) => others.length - ones.length || (one < other ? -1 : 1))
    .map(([reason, found]) => `| ${reason} | ${found.length} | ${found.map(({ name }) => `\`${name}\``).join(', ')} |`);
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skip themselves`;
  return [
    selection,
    '',
    `**${count('passed')} of ${cases.length} pass**, ${failures.length} fail${skipped} (${day}).`,
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...peers.map(peerLine),
    ...(capabilities.length === 0 ? [] : capabilityLines(cases, capabilities)),
    ...(meant.length === 0
      ? []
      : meantLines(cases, isAbsent ?? ((each) => signed(each, capabilities) !== undefined), meant)),
    ...(rows.length === 0 ? [] : ['', '| reason of the failure | cases | which |', '|---|---|---|', ...rows]),
  ].join('\n');
}

/** Replaces the section of a suite in a page; the others stay. */
export function writeSection(page: Page, verdict: Verdict, day: string): void {
  const path = join(projectRoot, 'docs', `${page}.md`);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const sections = new Map(
    text
      .split(/^(?=## )/m)
      .filter((section) => section.startsWith('## '))
      .map((section) => [section.slice(3, section.indexOf('\n')), section.trimEnd()]),
  );
  sections.set(verdict.suite, `## ${verdict.suite}\n\n${sectionOf(verdict, day)}`);
  writeFileSync(path, `${[headings[page], ...sections.values()].join('\n\n')}\n`);
}
