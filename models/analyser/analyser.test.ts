import fc from 'fast-check';
import { analyse, analyseQuery, detectLanguage, isCommon, isWrittenIn, primarySubtag } from './analyser.ts';

function stemsOf(text: string, language: string): string[] {
  return analyse(text, language).map((word) => word.stem);
}

/** Whether every word of the query that is not common is found in the text. */
function finds(query: string, text: string, language: string): boolean {
  const stems = new Set(stemsOf(text, language));
  return analyseQuery(query, [language]).every((word) => word.common || word.stems.some((stem) => stems.has(stem)));
}

describe('words', () => {
  it('are Snowball stems in lower case, and nothing else in plain text', () => {
    expect(stemsOf('The Running dogs were barking loudly.', 'en')).toEqual([
      'the',
      'run',
      'dog',
      'were',
      'bark',
      'loud',
    ]);
    expect(stemsOf('a well-known state-of-the-art method', 'en')).toEqual([
      'a',
      'well',
      'known',
      'state',
      'of',
      'the',
      'art',
      'method',
    ]);
    expect(stemsOf('Die Verträge der Häuser', 'de')).toEqual(['die', 'vertrag', 'der', 'haus']);
    expect(stemsOf('unknown languages keep Words', 'und')).toEqual(['unknown', 'languages', 'keep', 'words']);
  });

  it('have offsets into the text as it is', () => {
    const text = '😀 Café\u0301 – naïve Straße';
    expect(analyse(text, 'en').map(({ start, end }) => text.slice(start, end))).toEqual([
      'Café\u0301',
      'naïve',
      'Straße',
    ]);
  });

  it('keep English contractions together', () => {
    expect(stemsOf("the company's reports don't", 'en')).toEqual(['the', 'compani', 'report', 'dont']);
    expect(stemsOf('the company\u2019s', 'en')).toEqual(stemsOf("the company's", 'en'));
    expect(stemsOf("l'homme d'état", 'fr')).toEqual(['l', 'homm', 'd', 'etat']);
  });

  it('that are overlong are truncated', () => {
    const [word] = analyse('x'.repeat(5000), 'en');
    expect(word).toEqual({ start: 0, end: 5000, stem: 'x'.repeat(100), form: 'x'.repeat(100) });
  });

  it('without spaces between them are found by dictionary', () => {
    expect(stemsOf('北京大学的学生', 'zh')).toContain('学生');
    expect(stemsOf('これは東京タワーです', 'ja').length).toBeGreaterThan(2);
    expect(stemsOf('ภาษาไทยง่าย', 'th')).toContain('ภาษา');
    expect(finds('학교', '학교에서 공부한다', 'ko')).toBe(true);
  });
});

describe('accents', () => {
  it.each([
    ['en', 'Café', 'cafe'],
    ['en', 'résumé', 'resume'],
    ['fr', 'générales', 'generales'],
    ['fr', 'mangée', 'mangee'],
    ['de', 'Café', 'cafe'],
    ['de', 'Häuser', 'hauser'],
    ['de', 'Müller', 'Mueller'],
    ['de', 'Straße', 'strasse'],
    ['es', 'canción', 'cancion'],
    ['es', 'corrió', 'corrio'],
    ['sv', 'för', 'for'],
    ['pt', 'informações', 'informacoes'],
    ['tr', 'İstanbul', 'istanbul'],
    ['ru', 'ёлка', 'елка'],
    ['ar', 'الْكِتَابُ', 'الكتاب'],
    ['he', 'שָׁלוֹם', 'שלום'],
    ['pl', 'łódź', 'lodz'],
  ])('%s: %s and %s find each other', (language, written, plain) => {
    expect(finds(plain, written, language)).toBe(true);
    expect(finds(written, plain, language)).toBe(true);
  });

  it.each(['❤️', '✈️ ☀️', '🏳️‍🌈', '👩‍🚀', '*️⃣', '\u0301', '\u200d', '\u0903'])(
    'and joiners alone, as in %s, are no word',
    (sign) => {
      expect(analyse(sign, 'en')).toEqual([]);
      expect(analyseQuery(sign, ['en', 'ja'])).toEqual([]);
    },
  );

  it.each([
    ['en', '2️⃣', '2'],
    ['ja', '辻\u{e0100}', '辻'],
    ['en', 'ℹ️', 'i'],
  ])('that choose the form of a sign do not hide it (%s: %s)', (language, written, plain) => {
    expect(finds(plain, written, language)).toBe(true);
    expect(finds(written, plain, language)).toBe(true);
  });

  it('of Indic scripts and kana are letters', () => {
    expect(stemsOf('हिन्दी', 'hi')).toEqual(['हिन्दी']);
    expect(stemsOf('が', 'ja')).toEqual(['が']);
  });
});

describe('numbers and codes', () => {
  it('are indexed as a whole and by their parts', () => {
    expect(stemsOf('GX-4471', 'en')).toEqual(['gx4471', 'gx', '4471']);
    expect(stemsOf('GX4471', 'en')).toEqual(['gx4471', 'gx', '4471']);
    expect(stemsOf('§ 12(3)', 'en')).toEqual(['12', '3']);
    expect(stemsOf('getUserName', 'en')).toEqual(['getusernam', 'get', 'user', 'name']);
    expect(stemsOf('anna.berg@example.com', 'en')).toEqual(['annabergexamplecom', 'anna', 'berg', 'exampl', 'com']);
    expect(stemsOf('2026-11-21', 'en')).toEqual(['20261121', '2026', '11', '21']);
  });

  it.each([
    ['gx4471', 'the GX-4471 valve'],
    ['GX-4471', 'the GX4471 valve'],
    ['gx 4471', 'the GX-4471 valve'],
    ['10000', '10,000 units'],
    ['10,000', '10000 units'],
    ['Q3_report-final.pdf', 'see Q3_report-final.pdf'],
    ['report final', 'see Q3_report-final.pdf'],
    ['user name', 'call getUserName()'],
    ['getUserName', 'call getusername()'],
    ['anna.berg@example.com', 'write to Anna.Berg@Example.com.'],
    ['email', 'an e-mail'],
    ['USA', 'the U.S.A. today'],
    ['v1.2.3', 'in v1.2.3'],
    ['12(3)', '§ 12(3)'],
    ["O'Brien", 'obrien'],
  ])('%s finds %s', (query, text) => {
    expect(stemsOf(text, 'en')).toEqual(expect.arrayContaining([analyseQuery(query, ['en'])[0]?.stems[0]]));
  });

  it('are interpreted by language, and keep an inner decimal point', () => {
    expect(stemsOf('10.000', 'de')).toEqual(['10000']);
    expect(stemsOf('10,000.5', 'en')).toEqual(stemsOf('10.000,5', 'de'));
    expect(stemsOf('3.14', 'en')).not.toEqual(stemsOf('314', 'en'));
    expect(stemsOf('1,2,3', 'en')).toEqual(['1', '2', '3']);
  });
});

describe('query words', () => {
  it('may be amounts in the format of another language', () => {
    expect(finds('10.000', '10,000 units', 'en')).toBe(true);
    expect(finds('10,000', '10.000 Stück', 'de')).toBe(true);
    expect(analyseQuery('1.234.567', ['en'])[0]?.stems).toContain('1234567');
    expect(analyseQuery('3.14', ['en'])[0]?.stems).toHaveLength(1);
  });

  it('have a stem for each language, the common ones marked, each word once', () => {
    expect(analyseQuery('The running RUNNING run', ['en', 'und'])).toEqual([
      { typed: 'the', stems: ['the'], common: true, count: 1 },
      { typed: 'running', stems: ['run', 'running'], common: false, count: 2 },
      { typed: 'run', stems: ['run'], common: false, count: 1 },
    ]);
    expect(analyseQuery('running run', ['en'])).toEqual([
      { typed: 'running', stems: ['run'], common: false, count: 2 },
    ]);
    expect(analyseQuery('?!', ['en'])).toEqual([]);
  });

  it('of an unknown language are judged by the English list', () => {
    expect(analyseQuery('what is the', []).every((word) => word.common)).toBe(true);
  });
});

describe('rules', () => {
  const language = fc.constantFrom('en', 'de', 'fr', 'es', 'ru', 'ar', 'tr', 'zh', 'ja', 'ko', 'th', 'und');
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          'GX-4471',
          'Café',
          "don't",
          '10,000',
          '3.14',
          'a_b',
          'x@y.z',
          '学校',
          'กขค',
          'ﬁne',
          'İ',
          'ß',
          '\u0301',
          '\u00ad',
          '...',
          '½',
          'Ⅻ',
          'ᾳ',
          'don’t',
          '12-3',
          "o'b",
        ),
        { maxLength: 12 },
      )
      .map((words) => words.join(' ')),
    fc.string({
      unit: fc.constantFrom('a', 'B', '1', '2', '.', ',', '-', '_', '@', "'", 'é', 'ß', '\u0301', 'が', ' '),
      maxLength: 40,
    }),
  );

  it('a stem is one token at its offsets', () => {
    fc.assert(
      fc.property(text, language, (given, tag) => {
        let last = 0;
        for (const { start, end, stem } of analyse(given, tag)) {
          expect(stem).toMatch(/^[\p{L}\p{M}\p{N}]+$/u);
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(given.length);
          expect(end).toBeGreaterThan(last);
          last = Math.min(end, start);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('a text is found by its own words', () => {
    fc.assert(
      fc.property(text, language, (given, tag) => {
        const stems = new Set(stemsOf(given, tag));
        for (const word of analyseQuery(given, [tag])) expect(word.stems.some((stem) => stems.has(stem))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('upper case and composed accents change nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          'café au lait',
          'häuser und gärten',
          'niño pequeño',
          'gx-4471 valve',
          'election of 1,000 people',
        ),
        language,
        (given, tag) => {
          expect(stemsOf(given.toUpperCase(), tag)).toEqual(stemsOf(given, tag));
          expect(stemsOf(given.normalize('NFD'), tag)).toEqual(stemsOf(given, tag));
        },
      ),
    );
  });
});

describe('abbreviations', () => {
  function significant(query: string): string[] {
    return analyseQuery(query, ['en', 'de'])
      .filter(({ common }) => !common)
      .map(({ typed }) => typed);
  }

  it('are significant words, even if they are spelled like a very common one', () => {
    expect(significant('Who runs the IT desk of the US office?')).toEqual(['runs', 'it', 'desk', 'us', 'office']);
    expect(significant('it runs the us office')).toEqual(['runs', 'office']);
  });

  it('are not operators, nor words of a query all in capitals, nor words that also occur in lower case', () => {
    expect(significant('pumps AND seals NOT valves')).toEqual(['pumps', 'seals', 'valves']);
    expect(significant('THE IT DESK')).toEqual(['desk']);
    expect(significant('IT says that it works')).toEqual(['says', 'works']);
  });
});

describe('languages', () => {
  it('are named by their primary subtag', () => {
    expect(['en-GB', 'EN_us', 'de', 'nb-NO', 'eng', 'multi', '', 'x', 'und', 'zh-Hant-TW'].map(primarySubtag)).toEqual([
      'en',
      'en',
      'de',
      'no',
      'en',
      'und',
      'und',
      'und',
      'und',
      'zh',
    ]);
  });

  it.each([
    ['en', 'Wind turbine maintenance guide: check bolts.'],
    ['en', 'The quick brown fox jumps over the lazy dog.'],
    ['en', 'invoice 4471'],
    ['de', 'Das ist ein Vertrag über die Lieferung von Waren.'],
    ['fr', 'Les droits de l’homme sont universels et ne peuvent être refusés à personne.'],
    ['es', 'Los derechos humanos son de todas las personas.'],
    ['it', 'Il contratto è stato firmato da entrambe le parti.'],
    ['nl', 'Dit is een overeenkomst tussen de partijen, die zij hebben getekend.'],
    ['ru', 'Это договор о поставке товаров между сторонами.'],
    ['ja', 'これは東京タワーです。'],
    ['zh', '这是一份合同。'],
    ['ko', '이것은 계약서입니다.'],
    ['ar', 'هذا عقد بين الطرفين في المدينة'],
    ['he', 'זה חוזה בין הצדדים'],
    ['th', 'นี่คือสัญญา'],
    ['und', '12 345 — 6.7'],
    ['und', ''],
  ])('%s: %s', (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  const things = {
    en: 'Bolt Nut Washer Hammer Pliers Saw Nail Drill Wrench Chisel',
    de: 'Schraube Größe Unterlegscheibe Bezeichnung Dübel Säge Schlüssel Gehäuse Träger Menge',
    fr: 'Pièce Référence Quantité Désignation Tournevis Perceuse Marteau Échelle Poignée Serrure',
    it: 'vite dado rondella martello pinza sega chiodo squadra trapano chiave',
  };

  it.each(Object.entries(things))(
    'of a table are detected by its words, whatever separates its cells: %s',
    (language, words) => {
      const rows = words
        .split(' ')
        .map((word, row) => `${word} | ${row * 7}.50 | KX_${row}te99 | https://parts.example.com/og/det/${row}`);
      expect(detectLanguage(Array.from({ length: 10 }, () => rows.join('\n')).join('\n'))).toBe(language);
    },
  );

  it('are not guessed from a few repeated words of a table', () => {
    expect(detectLanguage(Array.from({ length: 100 }, (_, row) => `${row},Sex,Dosis,3.${row}`).join('\n'))).toBe('en');
  });

  it('have common words', () => {
    expect(['the', 'The', "don't", 'what\u2019s', 'valve'].map((word) => isCommon(word, 'en'))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(['für', 'fur', 'Zeit'].map((word) => isCommon(word, 'de'))).toEqual([true, true, false]);
    expect(isCommon('the', 'und')).toBe(false);
  });

  it('have scripts', () => {
    expect(isWrittenIn('plain words', 'en')).toBe(true);
    expect(isWrittenIn('договор о поставке (draft)', 'en')).toBe(false);
    expect(isWrittenIn('договор', 'ru')).toBe(true);
    expect(isWrittenIn('12 34', 'en')).toBe(false);
    expect(['ru', 'ja', 'he', 'und', 'de'].map((language) => isWrittenIn('12 plain words', language))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(['ru', 'ja', 'he', 'und', 'de'].map((language) => isWrittenIn('12 plain w\u00f6rds', language))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});

describe('a text of a few words again and again', () => {
  it('has a language if it is a small table, and none if it is long', () => {
    expect(detectLanguage('cell bolt nut '.repeat(60))).toBe('en');
    expect(detectLanguage('ab\n'.repeat(300_000))).toBe('und');
  });
});
