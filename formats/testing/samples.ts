import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocumentFormat } from '../../models/formats.ts';
import { formatOf } from '../../models/formats.ts';

/** A sample file of a collection that may lie beside the project. */
export interface Sample {
  path: string;
  bytes: number;
  format: DocumentFormat;
}

const folder = fileURLToPath(new URL('../../../shared/data/samples/', import.meta.url));

/** The sample documents, ordered by path; empty if there are none. Pages of HTML are those named `source.html`. */
export async function sampleDocuments(): Promise<Sample[]> {
  let names: string[];
  try {
    names = await readdir(folder, { recursive: true });
  } catch {
    // No samples on this machine; the caller says so.
    return [];
  }
  const samples: Sample[] = [];
  for (const name of names.toSorted()) {
    const format = formatOf(name, 'document');
    if (format === null || (format === 'html' && !name.endsWith('source.html'))) continue;
    const path = join(folder, name);
    samples.push({ path, bytes: (await stat(path)).size, format });
  }
  return samples;
}

/** The folder in which the samples lie. */
export const samplesFolder = folder;
