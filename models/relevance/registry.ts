import { readdirSync, readFileSync } from 'node:fs';
import type { Coefficients, RelevanceModel } from './relevance.ts';

const folder = new URL('./', import.meta.url);

function fieldOf(value: unknown, name: string, where: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
    throw new Error(`${where}: ${name} is missing`);
  return Reflect.get(value, name);
}

function numberIn(value: unknown, name: string, where: string): number {
  const found = fieldOf(value, name, where);
  if (typeof found !== 'number' || !Number.isFinite(found)) throw new Error(`${where}: ${name} is no number`);
  return found;
}

function coefficientsIn(value: unknown, name: string, where: string): Coefficients {
  const found = fieldOf(value, name, where);
  const inside = `${where}: ${name}`;
  return {
    intercept: numberIn(found, 'intercept', inside),
    cosine: numberIn(found, 'cosine', inside),
    bm25: numberIn(found, 'bm25', inside),
    coverage: numberIn(found, 'coverage', inside),
    logWords: numberIn(found, 'logWords', inside),
    exactness: numberIn(found, 'exactness', inside),
    window: numberIn(found, 'window', inside),
    pair: numberIn(found, 'pair', inside),
    rareness: numberIn(found, 'rareness', inside),
  };
}

/**
 * Reads a relevance file's text.
 * @throws an Error that names the file and the field that is missing or out of order.
 */
export function parseRelevance(text: string, where: string): RelevanceModel {
  const value: unknown = JSON.parse(text);
  const modelId = fieldOf(value, 'modelId', where);
  if (typeof modelId !== 'string') throw new Error(`${where}: modelId is no text`);
  const floor = numberIn(value, 'floor', where);
  const bands = fieldOf(value, 'bands', where);
  const moderate = numberIn(bands, 'moderate', `${where}: bands`);
  const high = numberIn(bands, 'high', `${where}: bands`);
  if (!(floor > 0 && floor <= moderate && moderate <= high && high < 1))
    throw new Error(`${where}: floor and bands must rise within 0 and 1`);
  return {
    modelId,
    hybrid: coefficientsIn(value, 'hybrid', where),
    words: coefficientsIn(value, 'words', where),
    meaningWords: numberIn(value, 'meaningWords', where),
    // Files of earlier fits do not have it.
    meaningFall:
      typeof value === 'object' && value !== null && Object.hasOwn(value, 'meaningFall')
        ? numberIn(value, 'meaningFall', where)
        : 0,
    ...(typeof value === 'object' && value !== null && Object.hasOwn(value, 'unrelatedCosine')
      ? { unrelatedCosine: numberIn(value, 'unrelatedCosine', where) }
      : {}),
    floor,
    bands: { moderate, high },
    meaningFrom: numberIn(value, 'meaningFrom', where),
  };
}

/** All relevance files shipped with the program, the default first. */
export function shippedRelevance(): RelevanceModel[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => parseRelevance(readFileSync(new URL(name, folder), 'utf8'), `models/relevance/${name}`));
}

/** Minimum common prefix of the ids of two builds of the same model, in characters. */
function sharedStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at += 1;
  return at;
}

/**
 * The mapping to grade with: that of the given file, otherwise the shipped one of this embedding model, otherwise the
 * shipped one with the most similar model id. In the last case `fitted` is false, and the caller should report it.
 */
export function chooseRelevance(
  modelId: string | null,
  file: string | null,
): { model: RelevanceModel; fitted: boolean } {
  if (file !== null) {
    const model = parseRelevance(readFileSync(file, 'utf8'), file);
    return { model, fitted: modelId === null || model.modelId === modelId };
  }
  const [first, ...others] = shippedRelevance();
  if (first === undefined) throw new Error('models/relevance holds no relevance file: run npm run fit:relevance');
  const asked = modelId ?? first.modelId;
  const model = others.reduce(
    (best, other) => (sharedStart(other.modelId, asked) > sharedStart(best.modelId, asked) ? other : best),
    first,
  );
  return { model, fitted: modelId === null || model.modelId === modelId };
}

/** The name at the start of a model's id. */
function nameOf(modelId: string): string {
  return modelId.split(':')[0] ?? modelId;
}

/**
 * The mappings to grade with: that of the first model, and those of the others as further ones. A file applies to the
 * model of its name, and to the first one if it names none of them. `unfitted` lists the models whose mapping was
 * fitted on another one, with that one's id.
 */
export function chooseRelevances(
  modelIds: readonly string[],
  file: string | null,
): { relevance: RelevanceModel; unfitted: { model: string; fittedFor: string }[] } {
  const fileName = file === null ? null : nameOf(chooseRelevance(null, file).model.modelId);
  const named = modelIds.findIndex((id) => nameOf(id) === fileName);
  const chosen = (modelIds.length === 0 ? [null] : modelIds).map((id, index) => ({
    id,
    ...chooseRelevance(id, index === Math.max(0, named) ? file : null),
  }));
  const [first, ...others] = chosen;
  if (first === undefined) throw new Error('there is a mapping for each model');
  const further = others.map(({ id, model }) => ({ ...model, modelId: id ?? model.modelId }));
  return {
    relevance: further.length === 0 ? first.model : { ...first.model, further },
    unfitted: chosen.flatMap(({ id, model, fitted }) =>
      fitted || id === null ? [] : [{ model: id, fittedFor: model.modelId }],
    ),
  };
}
