import type { Statements } from './statements.ts';
import type { Value } from './sql.ts';

/** How SQLite would run a statement, one line a step: https://sqlite.org/eqp.html */
export function planOf(statements: Statements, sql: string, values: readonly Value[]): string[] {
  return statements
    .of(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values)
    .map((row) => String(row['detail']));
}

/**
 * The steps of a plan that walk a whole table, or sort rows that no index has in order: work that grows with the
 * collection instead of with the answer. Lists of values that came with the query do not count.
 */
export function slowSteps(plan: readonly string[]): string[] {
  return plan.filter(
    (step) =>
      (step.startsWith('SCAN ') && !step.startsWith('SCAN json_each')) ||
      (step.includes('TEMP B-TREE') && !step.includes('LAST TERM')),
  );
}

/** Tells of each new statement form whose plan has slow steps. A form is looked at once. */
export function watcher(
  statements: Statements,
  report: (statement: string, steps: string[]) => void,
): (sql: string, values: readonly Value[]) => void {
  const seen = new Set<string>();
  return (sql, values) => {
    if (seen.has(sql) || seen.size >= 10_000) return;
    seen.add(sql);
    const steps = slowSteps(planOf(statements, sql, values));
    if (steps.length > 0) report(sql, steps);
  };
}
