import type { Configuration } from '../models/configuration/configuration.ts';

/** Why the program could not start, in a sentence that says what to do next where that is known. */
export function startFailure(error: unknown, configuration: Configuration): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error);
  if (!('code' in error) || error.code !== 'EADDRINUSE' || !('port' in error)) return String(error.message);
  const { port } = error;
  const ports = [
    'PLY_METRICS_PORT',
    'PLY_UPLOAD_PORT',
    'PLY_DELIVERY_PORT',
    'PLY_S3_PORT',
    'PLY_BLOB_PORT',
    'PLY_DELIVERY_TLS_PORT',
    'PLY_API_PORT',
  ] as const;
  const variable = ports.find((name) => configuration[name] === port) ?? 'PLY_API_PORT';
  return `port ${String(error.port)} is taken. Stop what listens there, or name another with ${variable} (0 takes a free one).`;
}
