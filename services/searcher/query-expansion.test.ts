import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlitePassages } from '../../adapters/passages/sqlite/sqlite.ts';
import type { Passages } from '../../adapters/passages/port.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import { storedWords } from '../../models/passage-words.ts';
import { shippedRelevance } from '../../models/relevance/registry.ts';
import { scopeOf, type OrganizationScope } from '../../models/scope.ts';
import { grader } from './grade.ts';
import { expandQuery } from './query-expansion.ts';
import { planQuery } from './query.ts';

const [relevance] = shippedRelevance();
const filler = Array.from({ length: 30 }, (_, index) => `Paragraph ${index} speaks of weather, roads and rivers.`);

interface File {
  id: string;
  language: string;
  principals?: string[];
  texts: string[];
}

const english: File[] = [
  {
    id: 'pumps',
    language: 'en',
    texts: ['Maintenance of the pump is due every year.', 'The management receives a report.'],
  },
  { id: 'secret', language: 'en', principals: ['board'], texts: ['The merger with Quillfeather is planned.'] },
  { id: 'open', language: 'en', texts: ['A quillfether pen.'] },
  { id: 'filler', language: 'en', texts: filler },
];
const german: File[] = [
  {
    id: 'law',
    language: 'de',
    texts: [
      'Das Vertragsrecht regelt die Pflichten.',
      'Der Vertrag wird im Mai geschlossen.',
      'Vertreter reisen viel.',
      'Ein Schaubild hängt im Flur.',
    ],
  },
  { id: 'filler', language: 'de', texts: filler },
];

const large: File[] = [
  { id: 'signs', language: 'en', texts: ['A postal sign.', ...Array.from({ length: 3 }, () => 'The portal is open.')] },
  { id: 'filler', language: 'en', texts: Array.from({ length: 17 }, () => filler).flat() },
];
const mixed: File[] = [
  {
    id: 'english',
    language: 'en',
    texts: [
      'Notes of the meeting.',
      'Do not wait for the area report.',
      'The stepper is not a workplace.',
      'A second note is not due.',
    ],
  },
  { id: 'french', language: 'fr', texts: ['Une note et des notes de réunion.', 'Le bureau ne se réunit pas.'] },
  { id: 'german', language: 'de', texts: ['Die Werkzeugkiste steht am Workplace.', 'Das Schreiben liegt bei.'] },
  { id: 'filler', language: 'en', texts: filler },
];

describe('substitutes of query words', () => {
  let folder: string;
  let passages: Passages;
  const [inEnglish, inGerman, inMany, inLarge] = [
    scopeOf('6e3ad0c8-0000-4000-8000-000000000011'),
    scopeOf('6e3ad0c8-0000-4000-8000-000000000012'),
    scopeOf('6e3ad0c8-0000-4000-8000-000000000013'),
    scopeOf('6e3ad0c8-0000-4000-8000-000000000014'),
  ];

  async function lay(scope: OrganizationScope, files: readonly File[]): Promise<void> {
    for (const { id, language, principals, texts } of files) {
      const rows = texts.map((text, ordinal) => {
        const words = analyse(text, language);
        return {
          ordinal,
          text,
          stems: storedWords(words),
          length: words.length,
          location: {},
          language: null,
          speaker: null,
          analysedAs: language,
          vector: null,
        };
      });
      await passages.write(scope, { assetId: id, revision: 1, embeddingModel: null }, rows);
      await passages.publish(scope, 1, rows.length, {
        assetId: id,
        attributesVersion: 1,
        aclMode: principals === undefined ? 'open' : 'restricted',
        principals: principals ?? [],
        kind: 'document',
        externalId: id,
        metadata: {},
        collections: [],
        createdAt: 1,
        present: true,
      });
    }
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ply-query-expansion-'));
    passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
    await lay(inEnglish, english);
    await lay(inGerman, german);
    await lay(inMany, mixed);
    await lay(inLarge, large);
  });

  afterAll(async () => {
    await passages.close();
    rmSync(folder, { recursive: true });
  });

  async function ask(
    query: string,
    {
      scope = inEnglish,
      languages = ['en'],
      principals = null,
    }: { scope?: OrganizationScope; languages?: string[]; principals?: string[] | null } = {},
  ) {
    if (relevance === undefined) throw new Error('no relevance file is shipped');
    const plan = planQuery(
      analyseQuery(query, languages),
      languages.map((language) => analyse(query, language)),
      true,
    );
    const like = expandQuery(passages, scope, plan, languages);
    const result = await like.retrieve({
      principals,
      filter: {},
      terms: plan.terms,
      vectors: [],
      limit: 200,
    });
    const gradeOf = grader(relevance, result, plan.occurrences);
    const graded = result.candidates.map((candidate) => ({ candidate, ...gradeOf(candidate) }));
    const found = graded
      .filter((each) => each.relevance >= relevance.floor)
      .sort((one, other) => other.relevance - one.relevance);
    return {
      found: found.map(({ candidate }) => `${candidate.assetId}/${candidate.ordinal}`),
      best: found[0]?.relevance ?? 0,
      terms: like.terms(languages[0] ?? 'und'),
    };
  }

  it.each([
    ['maintenence', 'pumps/0'],
    ['maintenanse', 'pumps/0'],
    ['managment', 'pumps/1'],
    ['recieves', 'pumps/1'],
  ])('%s finds what was meant, at a lower grade', async (query, passage) => {
    const { found, best } = await ask(query);
    expect(found).toEqual([passage]);
    expect(best).toBeLessThan(1);
  });

  it('are graded lower than the word itself', async () => {
    const [typed, mistyped] = [await ask('maintenance'), await ask('maintanance')];
    expect(mistyped.found).toEqual(typed.found);
    expect(mistyped.best).toBeLessThan(typed.best);
  });

  it('are not used for words in the library, short words, numbers and codes', async () => {
    expect((await ask('pen')).terms).toEqual([['pen']]);
    expect((await ask('weathr 4471 puq')).terms.map((stems) => stems.length)).toEqual([2, 1, 1]);
    expect((await ask('xylophone')).found).toEqual([]);
  });

  it('are never taken from files that the request may not see', async () => {
    const secret = await ask('quillfeathr', { principals: ['board'] });
    expect(secret.found).toEqual(['secret/0']);
    const open = await ask('quillfeathr');
    expect(open.found).toEqual(['open/0']);
    expect(open.terms.flat().some((stem) => stem.startsWith('quillfeath') && stem !== open.terms[0]?.[0])).toBe(false);
    expect((await ask('mergar')).found).toEqual([]);
    expect((await ask('mergar', { principals: ['board'] })).found).toEqual(['secret/0']);
  });

  it('keep the floor: passages without them are graded as before, and passages with them at most as by the correct word', async () => {
    if (relevance === undefined) throw new Error('no relevance file is shipped');
    const gradesOf = async (query: string, corrected: boolean): Promise<Map<string, number>> => {
      const plan = planQuery(analyseQuery(query, ['en']), [analyse(query, 'en')], true);
      const retrieval = {
        principals: null,
        filter: {},
        terms: plan.terms,
        vectors: [],
        limit: 200,
      };
      const result = corrected
        ? await expandQuery(passages, inEnglish, plan, ['en']).retrieve(retrieval)
        : await passages.retrieve(inEnglish, retrieval);
      const gradeOf = grader(relevance, result, plan.occurrences);
      return new Map(
        result.candidates.map((candidate) => [
          `${candidate.assetId}/${candidate.ordinal}`,
          gradeOf(candidate).relevance,
        ]),
      );
    };
    const expected: Record<string, string[]> = { maintenanse: ['pumps/0'], recieves: ['pumps/1'] };
    let lacking = 0;
    for (const [wrong, right] of [
      ['maintenanse', 'maintenance'],
      ['recieves', 'receives'],
    ] as const) {
      for (const others of ['roads', 'weather rivers', 'every report', 'paragraph about xylophones']) {
        const [put, plain, meant] = [
          await gradesOf(`${wrong} ${others}`, true),
          await gradesOf(`${wrong} ${others}`, false),
          await gradesOf(`${right} ${others}`, false),
        ];
        for (const [passage, grade] of put) {
          if (expected[wrong]?.includes(passage) === true) expect(grade).toBeLessThan(meant.get(passage) ?? 0);
          else {
            lacking += 1;
            expect([passage, grade]).toEqual([passage, plain.get(passage)]);
          }
        }
        for (const passage of expected[wrong] ?? []) expect(put.has(passage)).toBe(true);
      }
    }
    expect(lacking).toBeGreaterThan(10);
  });

  it('are compounds that begin with the word, below the word itself', async () => {
    const asked = { scope: inGerman, languages: ['de'] };
    expect((await ask('Vertrag', asked)).found).toEqual(['law/1', 'law/0']);
    expect((await ask('Vertragsrecht', asked)).found).toEqual(['law/0']);
    expect((await ask('Verträge', asked)).found).toEqual(['law/1', 'law/0']);
  });

  it('are no longer words that begin with the root of a derived word', async () => {
    const asked = { scope: inGerman, languages: ['de'] };
    expect((await ask('Schau', asked)).found).toEqual(['law/3']);
    expect((await ask('schauerliche', asked)).found).toEqual([]);
  });

  it('have a letter in place of another one in a large library only where several passages contain them', async () => {
    const asked = { scope: inLarge };
    expect((await ask('postel', asked)).found).toEqual([]);
    expect((await ask('portel', asked)).found).toHaveLength(3);
    expect((await ask('posttal', asked)).found).toEqual(['signs/0']);
  });

  it('exclude very common words of other languages that share a stem with the word', async () => {
    const asked = { scope: inMany, languages: ['en', 'fr', 'de'] };
    const { found, terms } = await ask('notes', asked);
    expect([...found].sort()).toEqual(['english/0', 'english/3', 'french/0']);
    expect(terms).toEqual([['note']]);
    expect((await ask('notes', { ...asked, languages: ['fr', 'en', 'de'] })).terms).toEqual([['note', 'not']]);
  });

  it('are compounds only in passages of languages that write them as one word', async () => {
    const asked = { scope: inMany, languages: ['en', 'fr', 'de'] };
    expect((await ask('work', asked)).found).toEqual(['german/0']);
    expect((await ask('step', asked)).found).toEqual([]);
  });

  describe('are not needed for another form of the word', () => {
    const asked = { scope: inMany, languages: ['en', 'fr', 'de'] };

    it("which counts as the word in the passage's language alone", async () => {
      expect((await ask('meetings', asked)).found).toEqual(['english/0']);
      expect((await ask('réunions', asked)).found).toEqual(['french/0']);
    });

    it('and a word of another language with its stem is another word', async () => {
      expect((await ask('reports', asked)).found).toEqual(['english/1']);
    });

    it('and a correction is never of high confidence', async () => {
      if (relevance === undefined) throw new Error('no relevance file is shipped');
      const { found, best } = await ask('maintenence');
      expect(found).toEqual(['pumps/0']);
      expect(best).toBeLessThan(relevance.bands.high);
    });
  });
});
