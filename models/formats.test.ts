import { capabilities, formatOf, isIndexed } from './formats.ts';

describe('formats', () => {
  it('are found by extension, ignoring case, within a kind', () => {
    expect(formatOf('Report.PDF', 'document')).toBe('pdf');
    expect(formatOf('a/b.c/notes.md', 'document')).toBe('markdown');
    expect(formatOf('page.xhtml', 'document')).toBe('html');
    expect(formatOf('Report.pdf', 'video')).toBeNull();
    expect(formatOf('old.doc', 'document')).toBeNull();
    expect(formatOf('pdf', 'document')).toBeNull();
    expect(formatOf('folder.pdf/readme', 'document')).toBeNull();
  });

  it('exist for every extension in /capabilities', () => {
    const published = capabilities.flatMap(({ kind, extensions }) =>
      extensions.map((extension) => ({ kind, name: `X${extension.toUpperCase()}` })),
    );
    expect(published.filter(({ kind, name }) => !isIndexed(name, kind))).toEqual([]);
    expect(published.filter(({ kind, name }) => kind === 'document' && formatOf(name, kind) === null)).toEqual([]);
    expect(published.length).toBeGreaterThanOrEqual(20);
  });

  it('each belong to one kind', () => {
    expect([
      isIndexed('talk.mp4', 'video'),
      isIndexed('talk.mp4', 'audio'),
      isIndexed('talk.m4a', 'audio'),
      isIndexed('talk.pdf', 'video'),
      isIndexed('talk', 'video'),
    ]).toEqual([true, false, true, false, false]);
  });
});
