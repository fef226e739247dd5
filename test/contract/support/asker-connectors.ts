import type { Asker } from './asker.ts';

/** Connectors: their successes and errors. */
export async function askAboutConnectors({ succeed, refused }: Asker): Promise<void> {
  const config = { endpoint: 'http://127.0.0.1:9', bucket: 'files', accessKeyId: 'k' };
  const { connectorId } = await succeed<{ connectorId: string }>('createConnector', {
    body: {
      kind: 's3',
      name: 'files',
      config,
      credential: 'secret',
      schedule: 'nightly',
      defaultAclMode: 'open',
      extractContentFromVideoFrames: true,
    },
  });
  const ids = { connectorId };
  await succeed('listConnectors');
  await succeed('requestSync', { ids });
  await succeed('readConnector', { ids });
  await succeed('createConnector', {
    body: { kind: 'azure_blob', name: 'container', config: { containerUrl: 'http://127.0.0.1:9/account/files' } },
  });
  for (const operation of ['createConnector', 'replaceConnector']) {
    const body = { kind: 'canvas', name: 'canvas', config: { baseUrl: 'http://127.0.0.1:9' } };
    const asked = operation === 'createConnector' ? {} : { ids };
    await refused(operation, 'connector_name_taken', {
      ...asked,
      body: { ...body, name: 'container', credential: 'token' },
    });
    await refused(operation, 'source_host_outside_ceiling', {
      ...asked,
      body: { ...body, config: { baseUrl: 'https://canvas.example.com' } },
    });
    await refused(operation, 'source_host_not_allowed', {
      ...asked,
      body: { ...body, config: { baseUrl: 'http://0.0.0.0' } },
    });
  }
  await succeed('replaceConnector', {
    ids,
    body: { kind: 's3', name: 'other files', config: { ...config, prefix: 'a/' } },
  });
  await succeed('removeConnector', { ids });
}
