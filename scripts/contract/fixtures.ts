import type { ImportResult, SubOrganizationView } from '../../models/api.ts';
import { content, registration } from '../../test/api/support/client.ts';
import type { TestProgram } from '../../test/api/support/program.ts';

/** Existing data of the program for the test: ids and values that get past 404. */
export interface Fixtures {
  /** Ready assets that are never removed. */
  assetIds: string[];
  /** Ready assets that may be removed. */
  spareAssetIds: string[];
  jobIds: string[];
  /** Jobs that wait for access to their files, so they can be cancelled. */
  waitingJobIds: string[];
  importIds: string[];
  subOrganizationIds: string[];
  /** Readable addresses on the loopback source. */
  sourceUrls: string[];
  sourceVersions: string[];
}

const text = 'The cell is the smallest unit of life. Mitochondria are the power plants of the cell.\n';

/** Creates ready files, imports and sub-organizations. */
export async function makeFixtures({ admin, standard, source }: TestProgram): Promise<Fixtures> {
  const sources = Array.from({ length: 4 }, (_, at) =>
    source.put(`contract-${at}.txt`, `${text}This is file ${at}.\n`),
  );
  const accepted = [];
  for (let at = 0; at < 12; at += 1) {
    const index = sources[at % sources.length];
    if (index !== undefined)
      accepted.push(
        await standard.register({
          externalId: `fixture-${at}`,
          filename: `fixture-${at}.txt`,
          ...index,
          metadata: { course: 'Biology', number: at },
        }),
      );
  }
  for (const { jobId } of accepted) await standard.reaches(jobId, 'ready');
  const waitingFile = source.put('denied.txt', text, { status: 403 });
  const waiting = [];
  for (let at = 0; at < 8; at += 1)
    waiting.push(await standard.register({ externalId: `waiting-${at}`, filename: 'denied.txt', ...waitingFile }));
  for (const { jobId } of waiting) await standard.reaches(jobId, 'awaiting_source_access');
  const imported = await standard.get<{ importId: string; results: ImportResult[] }>(
    202,
    'POST',
    `${content}/imports`,
    {
      body: { assets: sources.map((index) => registration({ ...index })) },
    },
  );
  const branches: SubOrganizationView[] = [];
  for (const name of ['Branch one', 'Branch two']) branches.push(await admin.createOrganization(name));
  const assetIds = accepted.map(({ assetId }) => assetId);
  return {
    assetIds: assetIds.slice(0, 4),
    spareAssetIds: assetIds.slice(4),
    jobIds: accepted.slice(0, 4).map(({ jobId }) => jobId),
    waitingJobIds: waiting.map(({ jobId }) => jobId),
    importIds: [imported.importId],
    subOrganizationIds: branches.map(({ id }) => id),
    sourceUrls: sources.map(({ sourceUrl }) => sourceUrl),
    sourceVersions: sources.map(({ sourceVersion }) => sourceVersion),
  };
}
