import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSqlitePassages } from '../adapters/passages/sqlite/sqlite.ts';
import { systemRuntime } from '../models/runtime.ts';
import { shippedRelevance } from '../models/relevance/registry.ts';
import {
  hasCollections,
  indexTexts,
  mixedLibrary,
  searchWord,
  shareOf,
  wordLanguages,
  usualFolder,
  type Shown,
} from './eval/absent-words.ts';

const usage = `node scripts/absent-words.ts [--words 300] [--list] [folder of the collections]

Searches a library in six languages, made of the collections in ../shared/data/ir, for single words that it does not contain:
300 in each of five languages. Prints the share that brings a word of another meaning, with confidence high and at all, and the
share of words found of which the library has another inflection. --list prints each word of another meaning.`;

const { values, positionals } = parseArgs({
  options: { words: { type: 'string', default: '300' }, list: { type: 'boolean' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
const [collections = usualFolder] = positionals;

const [model] = shippedRelevance();
if (values.help === true || !hasCollections(collections) || model === undefined) {
  console.log(usage);
  process.exitCode = 1;
} else {
  const folder = mkdtempSync(join(tmpdir(), 'ply-absent-words-'));
  const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
  try {
    const library = mixedLibrary(collections, Number(values.words));
    await indexTexts(passages, library.texts);
    const search = async (queries: readonly { word: string; language: string }[] = []): Promise<Shown[]> => {
      const shown: Shown[] = [];
      for (const query of queries) shown.push(await searchWord(passages, model, query));
      return shown;
    };
    console.log(`${library.texts.length} passages\n`);
    console.log(
      '| language | absent | other high | other shown | inflected | found | high | mistyped | found | high |\n|---|---|---|---|---|---|---|---|---|---|',
    );
    const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
    const foundOf = (shown: readonly Shown[]): (string | number)[] => [
      shown.length,
      percent(shareOf(shown, ({ kin }) => kin !== null)),
      percent(shareOf(shown, ({ kin }) => kin === 'high')),
    ];
    for (const language of wordLanguages) {
      const absent = await search(library.absent.get(language));
      const inflected = await search(library.inflected.get(language));
      const mistyped = await search(library.mistyped.get(language));
      const cells = [
        absent.length,
        percent(shareOf(absent, ({ isOther, confidence }) => isOther && confidence === 'high')),
        percent(shareOf(absent, ({ isOther }) => isOther)),
        ...foundOf(inflected),
        ...foundOf(mistyped),
      ];
      console.log(`| ${[language, ...cells].join(' | ')} |`);
      if (values.list !== true) continue;
      for (const { query, matched, passageLanguage, confidence } of absent.filter(({ isOther }) => isOther))
        console.log(`  ${query.word} -> ${passageLanguage} ${matched.join(' ')} (${confidence})`);
      for (const { query } of inflected.filter(({ kin }) => kin === null)) console.log(`  not found: ${query.word}`);
    }
  } finally {
    await passages.close();
    rmSync(folder, { recursive: true });
  }
}
