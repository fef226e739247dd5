import { awaitsAccess, withAccess } from '../../mixins/indexing/runs.ts';
import { callbackBody, maxRequestBytes } from '../../mixins/sources/callback.ts';
import {
  checkSourceAccess,
  checkSourceUrl,
  parseSourceAccess,
  type AddressRules,
  type GivenAccess,
} from '../../mixins/sources/addresses.ts';
import { settingsOf } from '../../mixins/settings/settings.ts';
import { ownFileOf } from '../../mixins/storage/own-files.ts';
import type { AssetCreate, Caller } from '../../models/api.ts';
import { accessContext } from '../../models/asset.ts';
import { invalid, Refusal } from '../../models/errors.ts';
import type { EffectiveSettings } from '../../models/settings.ts';
import type { Registrar } from './registrar.ts';

/** The rules for an address of an organization. */
function rulesFor(registrar: Registrar, sourceUrl: string, { sourceHosts }: EffectiveSettings): AddressRules {
  const { configuration, trustedSources } = registrar.app;
  return {
    privateNetworks: trustedSources.has(sourceUrl) ? 'allow' : configuration.PLY_PRIVATE_NETWORKS,
    ceiling: configuration.PLY_ALLOWED_HOST_CEILING,
    sourceHosts,
  };
}

/** The rules for addresses of the organization's own buckets, which are never requested. */
const ownRules: AddressRules = { privateNetworks: 'allow' };

/** The bucket that holds a file to be registered; null unless it is one of the organization's own. */
export async function bucketIdOf(
  { app }: Registrar,
  organizationId: string,
  { sourceUrl }: Pick<AssetCreate, 'sourceUrl'>,
): Promise<string | null> {
  return (await ownFileOf(app, organizationId, sourceUrl))?.bucket._id ?? null;
}

/**
 * Whether an address differs from `sourceUrl`. Then it is stored encrypted, because any query parameter may be a
 * credential.
 */
function isMoreThan(address: string, sourceUrl: string): boolean {
  return address !== new URL(sourceUrl).href;
}

/**
 * Checks how a file to be registered is read. A file of the organization's own buckets is read from the object store,
 * without access, so no rule for hosts applies to it.
 * @param bucketId the organization's bucket that holds the file; null for all other files
 * @returns the address to store with `sourceUrl`; null if `sourceUrl` or the callback is enough
 * @throws Refusal
 */
export function checkAccess(
  registrar: Registrar,
  organizationId: string,
  input: AssetCreate,
  settings: EffectiveSettings,
  bucketId: string | null,
): string | null {
  const rules = bucketId === null ? rulesFor(registrar, input.sourceUrl, settings) : ownRules;
  checkSourceUrl(input.sourceUrl, rules);
  const access = input.sourceAccess === null ? null : checkSourceAccess(input.sourceAccess, input.sourceUrl, rules);
  if (input.callbackKey !== null) {
    if (Buffer.byteLength(callbackBody({ ...input, organizationId })) > maxRequestBytes) {
      throw invalid(
        ['body', 'sourceUrl'],
        `With a callbackKey, externalId, sourceVersion and sourceUrl have to fit together into ${maxRequestBytes} bytes of JSON.`,
      );
    }
    if (settings.callbackUrl === null || settings.callbackSecret === null) throw new Refusal('callback_not_configured');
  }
  return access !== null && isMoreThan(access.address, input.sourceUrl) ? access.address : null;
}

/**
 * Stores an address for reading a registered file, replacing the previous one, and resumes jobs that wait for access.
 * For a file that is read by another way first (a callback, a connector) a public address is stored as well.
 * @throws Refusal `validation_error`, `ambiguous_source_credentials`, `asset_not_found`, `source_access_mismatch`,
 * `source_host_not_allowed`, `source_host_outside_ceiling`
 */
export async function giveSourceAccess(
  registrar: Registrar,
  caller: Caller,
  assetId: string,
  given: GivenAccess,
): Promise<{ assetId: string; resumedJobs: string[] }> {
  parseSourceAccess(given, ['body']);
  const settings = await settingsOf(registrar.app, caller.organizationId);
  let resumedJobs: string[] = [];
  await registrar.modify(caller.organizationId, assetId, (asset) => {
    const { address } = checkSourceAccess(given, asset.sourceUrl, {
      ...(asset.bucketId === null ? rulesFor(registrar, asset.sourceUrl, settings) : ownRules),
      field: ['body'],
    });
    const isKept = isMoreThan(address, asset.sourceUrl) || asset.callbackKey !== null || asset.connectorId !== null;
    resumedJobs = awaitsAccess(asset.run) ? [asset.run.jobId] : [];
    return {
      ...asset,
      sealedAccess: isKept ? registrar.app.sealer.seal(address, accessContext(assetId)) : null,
      run: withAccess(asset.run, registrar.app.records.time()),
      updatedAt: registrar.app.runtime.now(),
    };
  });
  if (resumedJobs.length > 0) registrar.changed(caller.organizationId);
  return { assetId, resumedJobs };
}
