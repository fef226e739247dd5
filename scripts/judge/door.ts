import { startS3Program, type S3Program } from '../../test/api/support/s3.ts';
import type { NewCredentialView } from '../../models/storage-credential.ts';

/** A key of a user of a suite. */
export interface JudgeKey {
  organizationId: string;
  accessKeyId: string;
  secret: string;
}

/** The program as a suite judges it. */
export interface JudgedDoor {
  program: S3Program;
  /** Host and port of the S3 door. */
  host: string;
  port: number;
  /** Keys of as many organizations of one account as were asked for, with every permission. */
  keys: JudgeKey[];
}

/** Configuration of a program that a suite judges: suites make hundreds of buckets and thousands of requests. */
export const suiteEnvironment = { PLY_NEW_BUCKETS_PER_DAY: '100000', PLY_STORAGE_REQUESTS_PER_MINUTE: '100000000' };

/** Starts the program with keys of several organizations. */
export async function startJudged(users: number): Promise<JudgedDoor> {
  const program = await startS3Program(suiteEnvironment);
  const keys: JudgeKey[] = [];
  for (let user = 0; user < users; user += 1) {
    const organizationId =
      user === 0 ? program.organizationId : (await program.admin.createOrganization(`user ${user}`)).id;
    const { accessKeyId, secret } = await program.session
      .as(organizationId)
      .get<NewCredentialView>(201, 'POST', '/api/content/v1/storage-credentials', {
        body: { name: 'judge', kind: 's3', permissions: ['read', 'write', 'delete', 'manage'] },
      });
    keys.push({ organizationId, accessKeyId: accessKeyId ?? '', secret });
  }
  const { hostname, port } = new URL(program.endpoint);
  return { program, host: hostname, port: Number(port), keys };
}
