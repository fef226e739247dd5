/** Prints a table in Markdown. */
export function printTable(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(`\n## ${title}\n\n${line(columns)}${line(columns.map(() => '---'))}${rows.map(line).join('')}`);
}
