import { registerHooks } from 'node:module';

/*
 * Additions to pdf.js for data that it has while it parses a file but does not report, and for options that it lacks.
 * The text of its worker is patched when it is loaded; the installed files are unchanged. If another version of pdf.js
 * lacks the expected text, that addition is omitted, and pages are read as pdf.js reports them.
 */

interface Addition {
  /** Matches exactly once in the worker. */
  pattern: RegExp;
  /** The replacement; `$&` is the match. */
  text: string;
}

/** Maximum length in bytes of a replacement text: many marks may share one. */
const longestMeaning = 32_768;

/**
 * The ActualText of marked content (ISO 32000-1, 14.9.4), as a further property of its item. `args` are the tag and the
 * properties, a dictionary or the name of a resource; broken ones are ignored.
 */
const actualText: Addition = {
  pattern: /textContent\.items\.push\(\{\s*type: "beginMarkedContentProps",/g,
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

/** Hyphens that their font maps to U+00AD: many producers do so for every hyphen at a line's end. */
const softHyphens: Addition = {
  pattern: /if \(category\.isInvisibleFormatMark(?=\) \{\s*continue;)/g,
  text: '$& && glyph.unicode !== "\\u00AD"',
};

const rightToLeft = '\\u0590-\\u08ff\\ufb1d-\\ufc5d\\ufc64-\\ufdff\\ufe80-\\ufefc';

/**
 * Right-to-left ligatures (lam with alef): pdf.js reverses the order of everything on a line, including the letters of
 * a ligature, which are already in logical order. Presentation forms become letters, except marks that would add a
 * space.
 */
const lettersOfGlyphs: Addition = {
  pattern: /textChunk\.str\.push\(glyphUnicode\);/g,
  text: `textChunk.str.push(glyphUnicode <= "\\u058f" && glyphUnicode.length === 1 ? glyphUnicode
    : glyphUnicode.replace(/[${rightToLeft}]+(?: +[${rightToLeft}]+)*/g, (letters) => [...letters.normalize("NFKC")].reverse().join("")));`,
};

/**
 * Letter spacing (pdf-spacing.ts): the gap after a glyph is ignored once the next glyph shows that it is not a space.
 */
const spacedLetters: Addition = {
  pattern: /if \(!intersector\) \{\s*textChunk\.str\.push\(glyphUnicode\);\s*\}/g,
  text: `$&
  {
    const gap = (textContentItem.spaced ??= new SpacedLetters()).after(glyphs, i, textChunk.str, textState) * textState.textHScale;
    if (gap > 0) {
      textState.translateTextMatrix(gap, 0);
      textContentItem.gapBehind = { width: gap, end: getCurrentTextTransform() };
      textState.translateTextMatrix(-gap, 0);
    }
  }`,
};

const gapBehindLetter: Addition = {
  pattern: /if \(!category\.isZeroWidthDiacritic && !compareWithLastPosition\(scaledDim\)\) \{/g,
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
  pattern: /const spaceFactor = \(textState\.font\.vertical \? 1 : -1\) \* textState\.fontSize \/ 1000;/g,
  text: '$&\n(textContentItem.spaced ??= new SpacedLetters()).beginArray(args[0], spaceFactor, textState);',
};

const endOfArray: Addition = {
  pattern: /if \(showSpacedTextBuffer\.length > 0\) \{[^{}]*\(\{[^{}]*\}\);\s*\}/g,
  text: '$&\ntextContentItem.spaced?.endArray();',
};

/*
 * A file with an empty owner password opens without a password, as in readers that try the empty password for both;
 * pdf.js tries it only for the user. Newer files (revisions 5 and 6) have it verified, older ones derive the user
 * password from it.
 */
const emptyOwnerPassword: Addition = {
  pattern: /password\.length && (?=pdfAlgorithm\.checkOwnerPassword\()/g,
  text: '',
};
const emptyOlderOwnerPassword: Addition = {
  pattern: /if \(!encryptionKey\) \{\s*if \(!password\) \{/g,
  text: `if (!encryptionKey && !password && algorithm !== 5) {
    const decoded = this.#decodeUserPassword([], ownerPassword, revision, keyLength);
    encryptionKey = this.#prepareKeyData(fileIdBytes, decoded, ownerPassword, userPassword, flags, revision, keyLength, encryptMetadata);
  }
  $&`,
};

/** A file in which only attachments are encrypted opens without a password, whether or not it says when to ask. */
const attachmentsAlone: Addition = { pattern: /if \(isName\(authEvent, "EFOpen"\)\) \{/g, text: '{' };

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

/** The worker's source with all additions that match. */
function withAdditions(program: string): string {
  const spacing = import.meta.resolve('./pdf-spacing.ts');
  const imports = `import { SpacedLetters } from ${JSON.stringify(spacing)};\n`;
  return (
    imports +
    additions.reduce(
      (text, addition) =>
        text.match(addition.pattern)?.length === 1 ? text.replace(addition.pattern, addition.text) : text,
      program,
    )
  );
}

/** Loads the worker; pdf.js, which runs it in this thread, finds it loaded. */
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
