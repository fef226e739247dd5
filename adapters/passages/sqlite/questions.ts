import type { Location } from '../../../models/block.ts';
import type { Passage } from '../../../models/passage.ts';
import type { PassageKey, Retrieval } from '../port.ts';
import { documentFrequency, occurrences } from '../wording.ts';
import { numberOf, ordinalSpan, textOf, textOrNull } from './connection.ts';
import type { Connection } from './connection.ts';
import { packedHead } from './messages.ts';
import type { PackedRetrieval, Read, ReadAnswer } from './messages.ts';
import { candidateSql, distanceSql, meaningLeg, wordLeg } from './statements.ts';

/** Answers one question from one snapshot of the file. */
export function answerOf(connection: Connection, read: Read): ReadAnswer {
  connection.run('begin');
  try {
    switch (read.kind) {
      case 'retrieve':
        return retrieve(connection, read.organizationId, read.retrieval);
      case 'fetch':
        return fetch(connection, read.organizationId, read.keys);
      case 'languages':
        return connection
          .all('select l.language as language from organizations o join language_counts l on l.organization = o.number where o.id = ? and l.passages > 0 order by 1', read.organizationId)
          .map((row) => textOf(row['language']));
      case 'countOf':
        return numberOf(connection.get(
          `select r.passages as passages from organizations o join files f on f.organization = o.number and f.asset_id = ?
           join revisions r on r.file = f.number and r.revision = ? where o.id = ? and r.published = 1`,
          read.assetId, read.revision, read.organizationId)?.['passages']);
      case 'ping':
        return numberOf(connection.get('select count(*) as organizations from organizations')?.['organizations']);
    }
  } finally {
    connection.run('commit');
  }
}

function retrieve(connection: Connection, organizationId: string, retrieval: Retrieval): PackedRetrieval {
  const { terms, vector } = retrieval;
  const organization = connection.get('select number, passages, words from organizations where id = ?', organizationId);
  const number = numberOf(organization?.['number']);
  const passages = numberOf(organization?.['passages']);
  /** Cosine by passage id; null as long as it is not known. */
  const found = new Map<number, number | null>();
  const meaning = meaningLeg(number, retrieval);
  for (const row of meaning === null ? [] : connection.lists(meaning.sql, ...meaning.values)) found.set(numberOf(row[0]), 1 - numberOf(row[1]));
  const words = wordLeg(number, retrieval);
  const byWordsAlone: number[] = [];
  for (const row of words === null ? [] : connection.lists(words.sql, ...words.values)) {
    const id = numberOf(row[0]);
    if (found.has(id)) continue;
    found.set(id, null);
    byWordsAlone.push(id);
  }
  if (vector !== null && byWordsAlone.length > 0) {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    const rows = connection.lists(distanceSql, bytes, JSON.stringify(byWordsAlone), bytes.length, retrieval.embeddingModel);
    for (const row of rows) found.set(numberOf(row[0]), 1 - numberOf(row[1]));
  }
  const rows = connection.lists(candidateSql, JSON.stringify([...found.keys()]));
  const assetIds = new Names();
  const languages = new Names();
  const width = packedHead + terms.length;
  const numbers = new Float64Array(rows.length * width);
  rows.forEach((row, index) => {
    const at = index * width;
    const id = numberOf(row[0]);
    numbers[at] = numberOf(row[2]);
    numbers[at + 1] = id % ordinalSpan;
    numbers[at + 2] = numberOf(row[3]);
    numbers[at + 3] = numberOf(row[4]);
    numbers[at + 4] = found.get(id) ?? Number.NaN;
    numbers[at + 5] = assetIds.placeOf(textOf(row[1]));
    numbers[at + 6] = languages.placeOf(textOf(row[5]));
    numbers.set(occurrences(textOf(row[6]), terms), at + packedHead);
  });
  const countOfStem = (stem: string): number =>
    numberOf(connection.get('select passages from stem_counts where organization = ? and stem = ?', number, stem)?.['passages']);
  return {
    assetIds: assetIds.all,
    languages: languages.all,
    numbers,
    passages,
    averageLength: passages === 0 ? 0 : numberOf(organization?.['words']) / passages,
    documentFrequencies: terms.map((term) => documentFrequency(countOfStem, term, passages)),
  };
}

/** Names that occur many times, each once, with its place. */
class Names {
  readonly all: string[] = [];
  readonly #places = new Map<string, number>();

  placeOf(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    this.#places.set(name, this.all.length);
    return this.all.push(name) - 1;
  }
}

function fetch(connection: Connection, organizationId: string, keys: readonly PassageKey[]): (Passage & PassageKey)[] {
  const rows = connection.all(
    `select f.asset_id as asset_id, r.revision as revision, p.*
     from json_each(?) wanted join organizations o on o.id = ?
       join files f on f.organization = o.number and f.asset_id = wanted.value ->> 'assetId'
       join revisions r on r.file = f.number and r.revision = wanted.value ->> 'revision'
       join passages p on p.id = r.number * ${ordinalSpan} + (wanted.value ->> 'ordinal')
     where (wanted.value ->> 'ordinal') between 0 and ${ordinalSpan - 1} order by wanted.key`,
    JSON.stringify(keys.map(({ assetId, revision, ordinal }) => ({ assetId, revision, ordinal }))), organizationId);
  return rows.map((row) => ({
    assetId: textOf(row['asset_id']),
    revision: numberOf(row['revision']),
    ordinal: numberOf(row['id']) % ordinalSpan,
    text: textOf(row['text']),
    stems: textOf(row['stems']),
    length: numberOf(row['length']),
    location: JSON.parse(textOf(row['location'])) as Location,
    language: textOrNull(row['language']),
    speaker: textOrNull(row['speaker']),
    analysedAs: textOf(row['analysed_as']),
    ...(row['timings'] === null ? {} : { timings: JSON.parse(textOf(row['timings'])) as number[] }),
  }));
}
