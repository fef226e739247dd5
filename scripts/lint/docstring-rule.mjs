/** The names that an export declares. */
function namesOf({ declaration }) {
  if (declaration?.id) return [declaration.id.name];
  return (declaration?.declarations ?? []).map(({ id }) => id.name ?? 'value');
}

/** ESLint rule: what a file exports says in a docstring what it is for. Overloads share the docstring of the first. */
export const docstringRule = {
  meta: { type: 'suggestion', schema: [], messages: { missing: 'Exported {{name}} has no docstring.' } },
  create(context) {
    const documented = new Set();
    return {
      ExportNamedDeclaration(node) {
        const [name] = namesOf(node);
        if (name === undefined || documented.has(name)) return;
        documented.add(name);
        const before = context.sourceCode.getCommentsBefore(node).at(-1);
        if (before?.type === 'Block' && before.value.startsWith('*')) return;
        context.report({ node, messageId: 'missing', data: { name } });
      },
    };
  },
};
