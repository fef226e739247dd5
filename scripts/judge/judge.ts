/** What became of a case of a suite. */
export interface Case {
  name: string;
  outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed, in one line; empty where it did not. */
  reason: string;
}

/** What a suite said of a door. */
export interface Verdict {
  /** The suite and its version, as the report names it. */
  suite: string;
  /** What was run of it, in one sentence. */
  selection: string;
  /** Tables and sentences that stand before the failures; none where they are all there is to say. */
  notes?: string[];
  cases: Case[];
  /** What a reader should know that may be missing: capabilities, by what failed cases have in their names and reasons. */
  capabilities?: readonly Capability[];
  /** Whether a failed case is about what is not offered, where no capabilities say so. */
  isAbsent?: (failed: Case) => boolean;
  /** Failures that are as they should be. */
  meant?: readonly Meant[];
  /** Other servers that the suite judged in the same run. */
  peers?: readonly { name: string; cases: readonly Case[] }[];
}

/** What cases of a suite begin with that the door does not offer. */
export interface Capability {
  name: string;
  /** Matches the name and the reason of a failed case, with a colon and a space between them. */
  sign: RegExp;
}

/** Failures of what is offered that are as they should be. */
export interface Meant {
  /** Matches the name and the reason of a failed case, with a colon and a space between them. */
  sign: RegExp;
  why: string;
}

/** A suite that judges a door. @returns what it said, or why it cannot run here */
export type Judge = (options: JudgeOptions) => Promise<Verdict | { skipped: string }>;

/** Options of the command. */
export interface JudgeOptions {
  /** Folder with the sources of a suite that no package registry has; null if none was named. */
  source: string | null;
  /** Cases whose names contain this word; null for all. */
  only: string | null;
  /** One of several parts of a long suite, by its number from 1; null for all of it. */
  part: Part | null;
}

/** A part of a suite. */
export interface Part {
  number: number;
  of: number;
}
