import type { Location } from '../../../models/block.ts';
import type { Passage } from '../../../models/passage.ts';
import type { NearFile, PassageKey } from '../port.ts';
import { counterOf, numberOf, ordinalOf, ordinalSpan, textOf, textOrNull } from './connection.ts';
import type { Connection } from './connection.ts';
import type { Read, ReadAnswer } from './messages.ts';
import type { Retrievals } from './retrieval.ts';
import { nearestWords } from './nearest-words.ts';
import { nearestFilesOf } from './statements.ts';
import { holdsVectors, sampleVectors, vectorsOf } from './stored-vectors.ts';

/** Executes one read against one snapshot of the file. */
export function executeRead(connection: Connection, retrievals: Retrievals, read: Read): ReadAnswer {
  connection.run('begin');
  try {
    switch (read.kind) {
      case 'retrieve':
        return retrievals.retrieve(read.organizationId, read.retrieval, read);
      case 'words':
        return retrievals.words(read.organizationId, read.retrieval);
      case 'whole':
        return retrievals.whole(read.organizationId, read.retrieval);
      case 'nearest':
        return retrievals.nearest(read.organizationId, read.retrieval, read.query);
      case 'nearestWords':
        return nearestWords(connection, read.organizationId, read.questions);
      case 'fetch':
        return fetch(connection, read.organizationId, read.keys);
      case 'nearestFiles':
        return nearestFiles(connection, read);
      case 'vectorsOf':
        return vectorsOf(connection, read);
      case 'holdsVectors':
        return holdsVectors(connection, read);
      case 'sampleVectors':
        return sampleVectors(connection, read);
      case 'frequenciesOf':
        return frequenciesOf(connection, read.organizationId, read.stems);
      case 'languages':
        return connection
          .all(
            'select l.language as language from organizations o join language_counts l on l.organization = o.number where o.id = ? and l.passages > 0 order by 1',
            read.organizationId,
          )
          .map((row) => textOf(row['language']));
      case 'countOf':
        return numberOf(
          connection.get(
            `select r.passages as passages from organizations o join files f on f.organization = o.number and f.asset_id = ?
           join revisions r on r.file = f.number and r.revision = ? where o.id = ? and r.published = 1`,
            read.assetId,
            read.revision,
            read.organizationId,
          )?.['passages'],
        );
      case 'state':
        return {
          identity: textOf(connection.get('select value from identity')?.['value']),
          changes: counterOf(connection, 'reworded'),
        };
      case 'forget':
        retrievals.forget();
        return null;
      case 'ping':
        return numberOf(connection.get('select count(*) as organizations from organizations')?.['organizations']);
    }
  } finally {
    connection.run('commit');
  }
}

/** See `Passages.frequenciesOf`. */
export function frequenciesOf(connection: Connection, organizationId: string, stems: readonly string[]): number[] {
  const organization = numberOf(
    connection.get('select number from organizations where id = ?', organizationId)?.['number'],
  );
  return stems.map((stem) =>
    numberOf(
      connection.get('select passages from stem_counts where organization = ? and stem = ?', organization, stem)?.[
        'passages'
      ],
    ),
  );
}

function nearestFiles(
  connection: Connection,
  { organizationId, retrieval }: Extract<Read, { kind: 'nearestFiles' }>,
): NearFile[] {
  const organization = numberOf(
    connection.get('select number from organizations where id = ?', organizationId)?.['number'],
  );
  const { sql, values } = nearestFilesOf(organization, retrieval);
  return connection.all(sql, ...values).map((row) => ({
    assetId: textOf(row['asset_id']),
    revision: numberOf(row['revision']),
    ordinal: numberOf(row['ordinal']),
    attributesVersion: numberOf(row['attributes_version']),
    cosine: numberOf(row['cosine']),
  }));
}

/** The passages with these keys, in the order of the keys. */
export function fetch(
  connection: Connection,
  organizationId: string,
  keys: readonly PassageKey[],
): (Passage & PassageKey)[] {
  const rows = connection.lists(
    `select f.asset_id, r.revision, p.id, p.text, p.stems, p.length, p.location, p.language, p.speaker, p.analysed_as, p.timings
     from json_each(?) wanted join organizations o on o.id = ?
       join files f on f.organization = o.number and f.asset_id = wanted.value ->> 'assetId'
       join revisions r on r.file = f.number and r.revision = wanted.value ->> 'revision'
       join passages p on p.id = r.number * ${ordinalSpan} + (wanted.value ->> 'ordinal')
     where (wanted.value ->> 'ordinal') between 0 and ${ordinalSpan - 1} order by wanted.key`,
    JSON.stringify(keys.map(({ assetId, revision, ordinal }) => ({ assetId, revision, ordinal }))),
    organizationId,
  );
  return rows.map((row) => ({
    assetId: textOf(row[0]),
    revision: numberOf(row[1]),
    ordinal: ordinalOf(numberOf(row[2])),
    text: textOf(row[3]),
    stems: textOf(row[4]),
    length: numberOf(row[5]),
    location: JSON.parse(textOf(row[6])) as Location,
    language: textOrNull(row[7]),
    speaker: textOrNull(row[8]),
    analysedAs: textOf(row[9]),
    ...(row[10] === null ? {} : { timings: JSON.parse(textOf(row[10])) as number[] }),
  }));
}
