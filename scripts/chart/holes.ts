import { stringify } from 'yaml';

/** Begins the place of a template action in a manifest. No value of ours contains it. */
const mark = '@@';

/**
 * A manifest with template actions. YAML cannot hold them as values, so each is a mark while the manifest is built, and
 * takes its place in the text.
 */
export class Holes {
  private readonly actions: string[] = [];

  /** An action within a line: `{{ .Values.host }}`. */
  inline(action: string): string {
    return this.add('i', action);
  }

  /** An action that prints a value of several lines in place of a value; it is indented like a nested one. */
  block(action: string): string {
    return this.add('b', action);
  }

  /** The text of a manifest, each mark replaced by its action. */
  text(manifest: unknown): string {
    return stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })
      .split('\n')
      .map((line) => this.fill(line))
      .join('\n');
  }

  private add(kind: 'i' | 'b', action: string): string {
    return `${mark}${kind}${this.actions.push(action) - 1}${mark}`;
  }

  private fill(line: string): string {
    const indent = line.length - line.trimStart().length;
    return line
      .replaceAll(/"?(@@b(\d+)@@)"?/g, (_, __, at: string) => `{{- ${this.action(at)} | nindent ${indent + 2} }}`)
      .replaceAll(/@@i(\d+)@@/g, (_, at: string) => `{{ ${this.action(at)} }}`);
  }

  private action(at: string): string {
    return this.actions[Number(at)] ?? '';
  }
}
