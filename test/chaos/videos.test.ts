import { videoChaos } from '../../scripts/chaos/videos/embedded.ts';
import { ensureProgram } from '../../scripts/setup/system.ts';
import { skipWithReason } from '../support/servers.ts';

const present = await ensureProgram(['ffmpeg', '-version'], ['ffmpeg']);
if (!present.ok) skipWithReason('kills of the program while it encodes', present.reason);
else
  it('videos and their webhooks survive kills of the embedded program', async () => {
    const { faults, integrity, webhooks } = await videoChaos({
      kills: 2,
      lifetimeMs: [500, 2500],
      seconds: 40,
      log: () => undefined,
    });
    expect(faults).toEqual([]);
    expect(integrity).toEqual({ 'records.db': 'ok', 'passages.db': 'ok' });
    expect(webhooks.events).toBe(10);
  }, 400_000);
