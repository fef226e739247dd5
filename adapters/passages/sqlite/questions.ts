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
  connection.database.exec('begin');
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
    connection.database.exec('commit');
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
  for (const row of meaning === null ? [] : connection.all(meaning.sql, ...meaning.values)) found.set(numberOf(row['id']), 1 - numberOf(row['distance']));
  const words = wordLeg(number, retrieval);
  const byWordsAlone: number[] = [];
  for (const row of words === null ? [] : connection.all(words.sql, ...words.values)) {
    const id = numberOf(row['id']);
    if (found.has(id)) continue;
    found.set(id, null);
    byWordsAlone.push(id);
  }
  if (vector !== null && byWordsAlone.length > 0) {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    const rows = connection.all(distanceSql, bytes, JSON.stringify(byWordsAlone), bytes.length, retrieval.embeddingModel);
    for (const row of rows) found.set(numberOf(row['id']), 1 - numberOf(row['distance']));
  }
  const rows = connection.all(candidateSql, JSON.stringify([...found.keys()]));
  const width = packedHead + terms.length;
  const numbers = new Float64Array(rows.length * width);
  rows.forEach((row, index) => {
    const at = index * width;
    numbers[at] = numberOf(row['revision']);
    numbers[at + 1] = numberOf(row['id']) % ordinalSpan;
    numbers[at + 2] = numberOf(row['attributes_version']);
    numbers[at + 3] = numberOf(row['length']);
    numbers[at + 4] = found.get(numberOf(row['id'])) ?? Number.NaN;
    numbers.set(occurrences(textOf(row['stems']), terms), at + packedHead);
  });
  const countOfStem = (stem: string): number =>
    numberOf(connection.get('select passages from stem_counts where organization = ? and stem = ?', number, stem)?.['passages']);
  return {
    assetIds: rows.map((row) => textOf(row['asset_id'])),
    analysedAs: rows.map((row) => textOf(row['analysed_as'])),
    numbers,
    passages,
    averageLength: passages === 0 ? 0 : numberOf(organization?.['words']) / passages,
    documentFrequencies: terms.map((term) => documentFrequency(countOfStem, term, passages)),
  };
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
  }));
}
