/** What a client needs to reach the S3 door. */
export interface S3Access {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secret: string;
}

/** What a client needs to reach the Blob door. */
export interface BlobAccess {
  /** With the account in its path or host. */
  endpoint: string;
  account: string;
  /** Base64. */
  secret: string;
  permissions: readonly ('read' | 'write' | 'delete' | 'manage')[];
}

/** A ready configuration: what to paste, and where. */
export interface ClientSettings {
  client: string;
  /** A file, or `shell`. */
  place: string;
  text: string;
}

/** Configurations of S3 clients. */
export function s3Settings({ endpoint, region, accessKeyId, secret }: S3Access): ClientSettings[] {
  const { protocol, host } = new URL(endpoint);
  const text = (lines: readonly string[]): string => lines.join('\n');
  return [
    {
      client: 'aws',
      place: '~/.aws/config',
      text: text([
        '[profile ply]',
        `aws_access_key_id = ${accessKeyId}`,
        `aws_secret_access_key = ${secret}`,
        `region = ${region}`,
        `endpoint_url = ${endpoint}`,
      ]),
    },
    {
      client: 'rclone',
      place: '~/.config/rclone/rclone.conf',
      text: text([
        '[ply]',
        'type = s3',
        'provider = Other',
        `access_key_id = ${accessKeyId}`,
        `secret_access_key = ${secret}`,
        `region = ${region}`,
        `endpoint = ${endpoint}`,
      ]),
    },
    {
      client: 's3cmd',
      place: '~/.s3cfg',
      text: text([
        '[default]',
        `access_key = ${accessKeyId}`,
        `secret_key = ${secret}`,
        `bucket_location = ${region}`,
        `host_base = ${host}`,
        `host_bucket = ${host}`,
        `use_https = ${protocol === 'https:' ? 'True' : 'False'}`,
      ]),
    },
  ];
}

const week = 7 * 86_400_000;
const base64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)));

/**
 * An account SAS of seven days (Azure Storage REST, "Create an account SAS", version 2020-12-06), for clients that take
 * no account key.
 * @returns the query, or null where the browser has no cryptography: on pages that are neither https nor of this machine
 */
export async function accountSas(
  { account, secret, permissions, endpoint }: BlobAccess,
  now: Date,
): Promise<string | null> {
  if (!globalThis.isSecureContext) return null;
  const letters = [
    ['r', 'read'],
    ['w', 'write'],
    ['d', 'delete'],
    ['l', 'read'],
    ['c', 'write'],
  ] as const;
  const fields = {
    sv: '2020-12-06',
    ss: 'b',
    srt: 'sco',
    sp: letters.map(([letter, needed]) => (permissions.includes(needed) ? letter : '')).join(''),
    se: new Date(now.getTime() + week).toISOString().replace(/\.\d+Z$/, 'Z'),
    spr: endpoint.startsWith('https:') ? 'https' : 'https,http',
  };
  const toSign = [account, fields.sp, fields.ss, fields.srt, '', fields.se, '', fields.spr, fields.sv, '', ''].join(
    '\n',
  );
  const bytes = Uint8Array.from(atob(secret), (letter) => letter.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const sig = base64(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(toSign)));
  return new URLSearchParams({ ...fields, sig }).toString();
}

/** Configurations of Blob clients. @param sas of `accountSas` */
export function blobSettings({ endpoint, account, secret }: BlobAccess, sas: string | null): ClientSettings[] {
  const { protocol } = new URL(endpoint);
  const connection = `DefaultEndpointsProtocol=${protocol.replace(':', '')};AccountName=${account};AccountKey=${secret};BlobEndpoint=${endpoint};`;
  return [
    ...(sas === null
      ? []
      : [
          {
            client: 'azcopy',
            place: 'shell',
            text: `azcopy copy ./folder "${endpoint}/my-bucket?${sas}" --recursive --from-to LocalBlob`,
          },
          {
            client: 'rclone',
            place: '~/.config/rclone/rclone.conf',
            text: ['[ply-blob]', 'type = azureblob', `sas_url = ${endpoint}?${sas}`].join('\n'),
          },
        ]),
    { client: 'az', place: 'shell', text: `export AZURE_STORAGE_CONNECTION_STRING="${connection}"` },
  ];
}
