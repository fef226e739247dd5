import { readFile } from 'node:fs/promises';
import type { Configuration } from './configuration/configuration.ts';
import { countryCodes } from './countries.ts';
import { invalid, refusalOf } from './errors.ts';
import { list, object, required, type Infer, type Schema } from './schemas/schema.ts';
import { boolean, mapped, oneOf, text } from './schemas/values.ts';

/**
 * How links of a region's buckets are signed: `pl1` edges may keep a key for a minute, `ps2` edges ask for each link.
 */
export const linkSchemes = ['pl1', 'ps2'] as const;

/** A link scheme of files buckets. */
export type LinkScheme = (typeof linkSchemes)[number];

const pattern = required(
  text(1, 500, {
    source: '^https?://\\S+$',
    expected: 'an http or https address, with {bucket} or {account} as they are',
  }),
);

const region = object({
  code: required(text(1, 64, { source: '^[a-z][a-z0-9-]*$', expected: 'lower-case letters, digits and -' })),
  name: required(text(1, 200)),
  country: required(oneOf(...countryCodes)),
  strictCapable: required(boolean),
  linkScheme: required(oneOf(...linkSchemes)),
  open: required(boolean),
  endpoints: required(
    object({
      s3: pattern,
      s3VirtualHost: pattern,
      blob: pattern,
      blobGlobal: pattern,
      upload: pattern,
    }),
  ),
});

/** A region, as the file of regions describes it. */
export type Region = Infer<typeof region>;

const regions = list(region, 200, 1);

/** The operator's file of regions. Codes are unique. */
const regionsFile: Schema<Region[]> = mapped(
  object({ regions: required(regions) }),
  (file) => {
    const twice = file.regions.findIndex(({ code }, at) => file.regions.findIndex((other) => other.code === code) < at);
    if (twice >= 0) throw invalid(['regions', twice, 'code'], 'is used twice');
    return file.regions;
  },
  regions,
);

/** The regions without a file: all of them are this machine. */
function shippedRegions(uploadPort: number, s3Port: number, blobPort: number): Region[] {
  const endpoints = {
    s3: `http://127.0.0.1:${s3Port}`,
    s3VirtualHost: `http://{bucket}.s3.localhost:${s3Port}`,
    blob: `http://127.0.0.1:${blobPort}/{account}`,
    blobGlobal: `http://127.0.0.1:${blobPort}/{account}`,
    upload: `http://127.0.0.1:${uploadPort}`,
  };
  return [
    {
      code: 'in-west',
      name: 'India West',
      country: 'IN',
      strictCapable: true,
      linkScheme: 'pl1',
      open: true,
      endpoints,
    },
    {
      code: 'eu-central',
      name: 'EU Central',
      country: 'DE',
      strictCapable: true,
      linkScheme: 'ps2',
      open: true,
      endpoints,
    },
    { code: 'us-east', name: 'US East', country: 'US', strictCapable: false, linkScheme: 'pl1', open: true, endpoints },
  ];
}

/**
 * The regions of this deployment: those of the configured file, else the shipped ones.
 * @throws Error that names the variable, the file and the invalid field
 */
export async function readRegions({
  PLY_REGIONS_FILE: path,
  PLY_UPLOAD_PORT: uploadPort,
  PLY_S3_PORT: s3Port,
  PLY_BLOB_PORT: blobPort,
}: Pick<Configuration, 'PLY_REGIONS_FILE' | 'PLY_UPLOAD_PORT' | 'PLY_S3_PORT' | 'PLY_BLOB_PORT'>): Promise<Region[]> {
  if (path === null) return shippedRegions(uploadPort, s3Port, blobPort);
  try {
    return regionsFile.check(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const refused = refusalOf(error)?.data;
    const reason = refused === undefined ? String(error) : [...(refused.fields ?? []), refused.detail].join(' ');
    throw new Error(`PLY_REGIONS_FILE: ${path}: ${reason}`, { cause: error });
  }
}
