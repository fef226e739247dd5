import { formOf, inputOf, newForm } from './input.ts';
import type { Connector } from './state.tsx';

const connector: Connector = {
  connectorId: 'b5a0b8f8-3bd0-4f24-9b7c-0f0c5a5f4e11',
  kind: 'azure_blob',
  name: 'Archive',
  config: { blobService: 'https://archive.blob.core.windows.net', container: 'papers', prefix: ' 2026/' },
  credentialSet: true,
  schedule: 'nightly',
  enabled: true,
  syncPending: false,
  defaultAclMode: 'open',
  extractContentFromVideoFrames: false,
  notifyUrl: null,
  lastRunAt: null,
  lastError: null,
  lastSummary: null,
  failures: [],
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
};

test('a connector that is saved unchanged stays as it is, and keeps its credential', () => {
  const { kind, name, config, schedule, enabled, defaultAclMode, extractContentFromVideoFrames } = connector;
  expect(inputOf(formOf(connector))).toEqual({
    ...{ kind, name, config, schedule, enabled, defaultAclMode, extractContentFromVideoFrames },
  });
});

test('only the fields of the chosen kind are sent, without spaces around addresses', () => {
  const config = { region: 'us-east-1', bucket: 'left', baseUrl: ' https://canvas.example.edu ' };
  expect(inputOf({ ...newForm, kind: 'canvas', name: ' Courses ', config, credential: 'token' })).toEqual({
    kind: 'canvas',
    name: 'Courses',
    config: { baseUrl: 'https://canvas.example.edu' },
    credential: 'token',
    schedule: 'nightly',
    enabled: true,
    defaultAclMode: 'restricted',
    extractContentFromVideoFrames: null,
  });
});
