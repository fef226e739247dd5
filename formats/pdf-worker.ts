import { registerHooks } from 'node:module';

/*
 * What pdf.js knows as it reads a file and does not report, and what it could do and has no option for. It is
 * asked where it holds it in its hands: while its worker is loaded, the text of the program is added to at each such
 * place. The files stay as they are installed. Where another version of pdf.js words a place otherwise, nothing is
 * added there, and pages are read as it reports them.
 */

interface Addition {
  /** A place that is there once in the whole program. */
  place: RegExp;
  /** What it is replaced with; `$&` is what was found. */
  text: string;
}

/** Bytes of the longest text that may replace others: many marks may share one. */
const longestMeaning = 32_768;

/**
 * What a mark with properties says that its content means (its ActualText, ISO 32000-1, 14.9.4): a further entry of the
 * mark's item. `args` are the tag and the properties, a dictionary or the name of one among the page's resources;
 * broken ones cost themselves alone.
 */
const actualText: Addition = {
  place: /textContent\.items\.push\(\{\s*type: "beginMarkedContentProps",/g,
  text: `$&
  actualText: (() => {
    try {
      const properties = args[1] instanceof Name ? resources.get("Properties").get(args[1].name) : args[1];
      const text = properties instanceof Dict ? properties.get("ActualText") : null;
      return typeof text === "string" && text.length <= ${longestMeaning} ? stringToPDFString(text) : null;
    } catch {
      return null;
    }
  })(),`,
};

/** Hyphens whose font calls them soft ones (U+00AD): many producers do so with all that break a word across lines. */
const softHyphens: Addition = {
  place: /if \(category\.isInvisibleFormatMark(?=\) \{\s*continue;)/g,
  text: '$& && glyph.unicode !== "\\u00AD"',
};

const readToTheLeft = '\\u0590-\\u08ff\\ufb1d-\\ufc5d\\ufc64-\\ufdff\\ufe80-\\ufefc';

/**
 * Several letters of one glyph that are read from right to left (lam with alef): pdf.js turns the order of all that it
 * found on a line, and theirs, which is that of speech already, with it. Forms of letters become the letters, but for
 * marks that would bring a space.
 */
const lettersOfGlyphs: Addition = {
  place: /textChunk\.str\.push\(glyphUnicode\);/g,
  text: `textChunk.str.push(glyphUnicode <= "\\u058f" && glyphUnicode.length === 1 ? glyphUnicode
    : glyphUnicode.replace(/[${readToTheLeft}]+(?: +[${readToTheLeft}]+)*/g, (letters) => [...letters.normalize("NFKC")].reverse().join("")));`,
};

/**
 * Letters that are set apart, as in headings (pdf-spacing.ts): the gap behind a glyph counts as its own, and so as
 * none, once the next one shows that it is no space.
 */
const spacedLetters: Addition = {
  place: /if \(!intersector\) \{\s*textChunk\.str\.push\(glyphUnicode\);\s*\}/g,
  text: `$&
  {
    const apart = (textContentItem.spaced ??= new SpacedLetters()).after(glyphs, i, textChunk.str, textState) * textState.textHScale;
    if (apart > 0) {
      textState.translateTextMatrix(apart, 0);
      textContentItem.gapBehind = { width: apart, end: getCurrentTextTransform() };
      textState.translateTextMatrix(-apart, 0);
    }
  }`,
};

const gapBehindLetter: Addition = {
  place: /if \(!category\.isZeroWidthDiacritic && !compareWithLastPosition\(scaledDim\)\) \{/g,
  text: `if (textContentItem.gapBehind) {
    if (textContentItem.spaced.isOwn(textState)) {
      textContentItem.prevTransform = textContentItem.gapBehind.end;
      if (textContentItem.initialized) textContentItem.width += textContentItem.gapBehind.width;
    }
    textContentItem.gapBehind = null;
  }
  $&`,
};

const spacedArray: Addition = {
  place: /const spaceFactor = \(textState\.font\.vertical \? 1 : -1\) \* textState\.fontSize \/ 1000;/g,
  text: '$&\n(textContentItem.spaced ??= new SpacedLetters()).beginArray(args[0], spaceFactor, textState);',
};

const endOfArray: Addition = {
  place: /if \(showSpacedTextBuffer\.length > 0\) \{[^{}]*\(\{[^{}]*\}\);\s*\}/g,
  text: '$&\ntextContentItem.spaced?.endArray();',
};

/*
 * A file whose owner's password is empty opens without asking, as readers do that try the empty password for both:
 * pdf.js tries it for the user's alone. In newer files (revisions 5 and 6) it is checked, in older ones it gives the
 * user's.
 */
const emptyOwnerPassword: Addition = { place: /password\.length && (?=pdfAlgorithm\.checkOwnerPassword\()/g, text: '' };
const emptyOlderOwnerPassword: Addition = {
  place: /if \(!encryptionKey\) \{\s*if \(!password\) \{/g,
  text: `if (!encryptionKey && !password && algorithm !== 5) {
    const decoded = this.#decodeUserPassword([], ownerPassword, revision, keyLength);
    encryptionKey = this.#prepareKeyData(fileIdBytes, decoded, ownerPassword, userPassword, flags, revision, keyLength, encryptMetadata);
  }
  $&`,
};

/** A file in which nothing but attached files is encrypted asks for no password, whether or not it says when to ask. */
const attachmentsAlone: Addition = { place: /if \(isName\(authEvent, "EFOpen"\)\) \{/g, text: '{' };

const additions = [
  actualText,
  softHyphens,
  spacedLetters,
  gapBehindLetter,
  spacedArray,
  endOfArray,
  lettersOfGlyphs,
  emptyOwnerPassword,
  emptyOlderOwnerPassword,
  attachmentsAlone,
];

/** The program of the worker with the additions whose place it has. */
function withAdditions(program: string): string {
  const spacing = import.meta.resolve('./pdf-spacing.ts');
  const imports = `import { SpacedLetters } from ${JSON.stringify(spacing)};\n`;
  return (
    imports +
    additions.reduce(
      (text, addition) =>
        text.match(addition.place)?.length === 1 ? text.replace(addition.place, addition.text) : text,
      program,
    )
  );
}

/** Loads the worker; pdf.js, which runs it in its own thread here, finds it loaded. */
async function loadWorker(): Promise<void> {
  const url = import.meta.resolve('pdfjs-dist/legacy/build/pdf.worker.mjs');
  const hooks = registerHooks({
    load: (asked, context, next) => {
      const loaded = next(asked, context);
      if (asked !== url || loaded.source === undefined || loaded.source === null) return loaded;
      const program = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      return { ...loaded, source: withAdditions(program) };
    },
  });
  try {
    await import(url);
  } finally {
    hooks.deregister();
  }
}

await loadWorker();
