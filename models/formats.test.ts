import { capabilities, formatOf } from './formats.ts';

describe('formats', () => {
  it('are told by the extension without case, within the kind', () => {
    expect(formatOf('Report.PDF', 'document')).toBe('pdf');
    expect(formatOf('a/b.c/notes.md', 'document')).toBe('markdown');
    expect(formatOf('page.xhtml', 'document')).toBe('html');
    expect(formatOf('Report.pdf', 'video')).toBeNull();
    expect(formatOf('old.doc', 'document')).toBeNull();
    expect(formatOf('pdf', 'document')).toBeNull();
    expect(formatOf('folder.pdf/readme', 'document')).toBeNull();
  });

  it('are read for every extension that clients are told of', () => {
    const told = capabilities.flatMap(({ kind, extensions }) => extensions.map((extension) => formatOf(`x${extension}`, kind)));
    expect(told).not.toContain(null);
    expect(told).toHaveLength(9);
  });
});
