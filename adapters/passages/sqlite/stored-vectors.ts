import { evenlySpaced } from '../../../models/passage.ts';
import type { VectorModel } from '../port.ts';
import { numberOf, rowId, type Connection, type ListRow } from './connection.ts';
import type { Read } from './messages.ts';

/** Writes a passage's vector. `model`: null if it is the revision's own. */
export function writeVector(connection: Connection, id: number, vector: Float32Array, model: string | null): void {
  connection.run(
    'insert or replace into vectors (id, vector, model) values (?, ?, ?)',
    id,
    new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
    model,
  );
}

/**
 * Records that a revision has vectors of a model: as its own model if it has none yet, otherwise as a further one.
 * Returns what `writeVector` needs.
 */
export function recordModel(
  connection: Connection,
  organization: number,
  revision: { number: number; model: string | null },
  model: string,
): string | null {
  if (revision.model === model) return null;
  if (revision.model === null) {
    connection.run('update revisions set model = ? where number = ?', model, revision.number);
    connection.run(
      'update live set model = ? where organization = ? and number = ?',
      model,
      organization,
      revision.number,
    );
    return null;
  }
  connection.run('insert or ignore into other_models values (?, ?, ?)', organization, model, revision.number);
  return model;
}

/** The fractional part of the golden ratio: any number of its multiples spread evenly over 0 to 1. */
const goldenStep = 0.618034;

/** The vector of a passage; null unless it is of this model and size. */
function vectorAt(connection: Connection, id: number, own: string | null, model: VectorModel): Float32Array | null {
  const [row] = connection.lists('select vector, model from vectors where id = ?', id);
  const bytes = row?.[0];
  if (!ArrayBuffer.isView(bytes) || bytes.byteLength !== model.dimensions * 4) return null;
  if ((row?.[1] ?? own) !== model.id) return null;
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** See `Passages.vectorsOf`. */
export function vectorsOf(
  connection: Connection,
  { organizationId, assetId, revision, model, limit }: Extract<Read, { kind: 'vectorsOf' }>,
): Float32Array[] {
  const [live] = connection.lists(
    `select l.number, l.count, l.model from organizations o join files f on f.organization = o.number and f.asset_id = ?
     join live l on l.file = f.number and l.organization = o.number and l.revision = ? where o.id = ?`,
    assetId,
    revision,
    organizationId,
  );
  if (live === undefined) return [];
  const own = typeof live[2] === 'string' ? live[2] : null;
  return evenlySpaced(numberOf(live[1]), limit).flatMap(
    (ordinal) => vectorAt(connection, rowId(numberOf(live[0]), ordinal), own, model) ?? [],
  );
}

/** See `Passages.holdsVectors`. */
export function holdsVectors(
  connection: Connection,
  { organizationId, models }: Extract<Read, { kind: 'holdsVectors' }>,
): boolean[] {
  const organization = organizationOf(connection, organizationId);
  return models.map(({ id }) =>
    revisionSources.some(
      (source) => connection.lists(`select 1 ${source.sql} limit 1`, organization, id)[0] !== undefined,
    ),
  );
}

/**
 * Sources of retrievable revisions with vectors of a model, by number; parameters are the organization and the model.
 * Both are searches of an index.
 */
const revisionSources = [
  { sql: 'from live l where l.organization = ? and l.model = ?', number: 'l.number' },
  {
    sql: 'from other_models m join live l on l.organization = m.organization and l.number = m.number where m.organization = ? and m.model = ?',
    number: 'm.number',
  },
] as const;

/** See `Passages.sampleVectors`. */
export function sampleVectors(
  connection: Connection,
  { organizationId, model, limit }: Extract<Read, { kind: 'sampleVectors' }>,
): Float32Array[] {
  const organization = organizationOf(connection, organizationId);
  for (const source of revisionSources) {
    const at = (compare: string, number: number, order: string): ListRow | undefined =>
      connection.lists(
        `select l.number, l.count, l.model ${source.sql} and ${source.number} ${compare} ? order by ${source.number} ${order} limit 1`,
        organization,
        model.id,
        number,
      )[0];
    const first = numberOf(at('>=', 0, 'asc')?.[0]);
    const last = numberOf(at('<=', Number.MAX_SAFE_INTEGER, 'desc')?.[0]);
    const found = new Map<number, Float32Array>();
    for (let taken = 0; taken < limit; taken += 1) {
      const revision = at('>=', first + Math.floor(((last - first + 1) * taken) / limit), 'asc');
      if (revision === undefined) continue;
      const ordinal = Math.floor(numberOf(revision[1]) * ((taken * goldenStep) % 1));
      const id = rowId(numberOf(revision[0]), ordinal);
      const own = typeof revision[2] === 'string' ? revision[2] : null;
      const vector = found.has(id) ? null : vectorAt(connection, id, own, model);
      if (vector !== null) found.set(id, vector);
    }
    if (found.size > 0) return [...found.values()];
  }
  return [];
}

function organizationOf(connection: Connection, organizationId: string): number {
  return numberOf(connection.get('select number from organizations where id = ?', organizationId)?.['number']);
}
