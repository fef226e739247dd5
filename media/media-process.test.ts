import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gone, killParent } from '../test/support/killed-parent.ts';
import { skipWithReason } from '../test/support/servers.ts';
import { findConfinement } from './confinement.ts';
import { ByteFeed } from './byte-feed.ts';
import { decodeArguments, probeArguments, yearOfVersion } from './ffmpeg.ts';
import { runMedia, type MediaTask } from './media-process.ts';

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** Runs a shell script in place of ffmpeg, and collects its output. */
function shell(
  script: string,
  feed: ByteFeed,
  rest: Partial<MediaTask> = {},
): { task: MediaTask; output: () => string } {
  let output = '';
  const read = async (bytes: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of bytes) output += Buffer.from(chunk).toString('utf8');
  };
  return {
    task: {
      program: '/bin/sh',
      arguments: ['-c', script],
      confinement: { prefix: [], used: [], network: 'none' as const },
      feed,
      outputs: [read],
      signal: new AbortController().signal,
      ...rest,
    },
    output: () => output,
  };
}

describe('a media process', () => {
  it('reads the feed in order, and reports how it ended', async () => {
    const { task, output } = shell('cat; echo said >&2; exit 3', new ByteFeed(pieces('one ', 'two ', 'three')));
    expect(await runMedia(task)).toEqual({ code: 3, signal: null, errors: 'said\n' });
    expect(output()).toBe('one two three');
  });

  it('has an empty environment, and additional outputs', async () => {
    const seen: string[] = [];
    const keep = async (bytes: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const chunk of bytes) seen.push(Buffer.from(chunk).toString('utf8'));
    };
    await runMedia(
      shell('/usr/bin/env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= ; echo second >&3', new ByteFeed(pieces('x')), {
        outputs: [keep, keep],
      }).task,
    );
    expect(seen).toEqual(['second\n']);
  });

  it('leaves unread bytes in the feed, or all of them on request', async () => {
    const feed = new ByteFeed(pieces('abc', 'def'));
    await runMedia(shell('cat', feed, { givesBack: true, maxInput: 3 }).task);
    expect(Buffer.from(await feed.peek(10)).toString()).toBe('abcdef');
    await runMedia(shell('exit 0', feed).task);
    expect((await feed.peek(10)).length).toBeLessThanOrEqual(6);
  });

  it('is killed with its children when it makes no progress', async () => {
    const { task, output } = shell('sleep 100 & echo $!; sleep 100', new ByteFeed(pieces('x')), {
      stallMilliseconds: 400,
    });
    await expect(runMedia(task)).rejects.toMatchObject({ code: 'media_unreadable' });
    expect(await gone(Number(output()))).toBe(true);
  });

  it('is not considered stalled while its source is slow', async () => {
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a');
      await pause(4000);
      yield Buffer.from('b');
    }
    const { task, output } = shell('cat', new ByteFeed(slow()), { stallMilliseconds: 2000 });
    expect(await runMedia(task)).toMatchObject({ code: 0 });
    expect(output()).toBe('ab');
  });

  it('is killed with its children when it is aborted', async () => {
    const abort = new AbortController();
    const { task, output } = shell('sleep 100 & echo $!; wait', new ByteFeed(pieces('x')), {
      signal: abort.signal,
    });
    setTimeout(() => abort.abort(new Error('aborted')), 300);
    await expect(runMedia(task)).rejects.toThrow('aborted');
    expect(await gone(Number(output()))).toBe(true);
  });

  it('fails with the error of its source or of an output reader', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a');
      throw new Error('the source broke');
    }
    await expect(runMedia(shell('cat; sleep 100', new ByteFeed(broken())).task)).rejects.toThrow('the source broke');
    const refuse = async (bytes: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const chunk of bytes) throw new Error(`no ${chunk.length} bytes more`);
    };
    await expect(
      runMedia(shell('cat; sleep 100', new ByteFeed(pieces('abc')), { outputs: [refuse] }).task),
    ).rejects.toThrow('no 3 bytes more');
  });

  it('fails if the program does not exist', async () => {
    await expect(
      runMedia(shell('', new ByteFeed(pieces('x')), { program: '/nowhere/ffmpeg' }).task),
    ).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

const { used } = await findConfinement(
  { memoryMegabytes: 256, cpuSeconds: 60 },
  { probes: [['/bin/true']], reservedMegabytes: 0 },
);
if (!used.includes('setpriv'))
  skipWithReason('ending media processes with the parent', 'setpriv of util-linux is not installed');
else
  it('a media process ends when its parent is killed', async () => {
    expect(await gone(await killParent(join(import.meta.dirname, 'testing/run-forever.ts'), []))).toBe(true);
  });

describe('command lines', () => {
  it('read only a pipe, of the given container', () => {
    for (const words of [probeArguments('mov'), decodeArguments('mov', { number: 1, channels: 2 })]) {
      const at = (option: string): string | undefined => words[words.indexOf(option) + 1];
      expect([at('-protocol_whitelist'), at('-format_whitelist'), at('-i'), at('-f')]).toEqual([
        'pipe',
        'mov',
        'pipe:0',
        'mov',
      ]);
      expect(words.filter((word) => word === '-i')).toHaveLength(1);
    }
    expect(decodeArguments('mov', { number: 1, channels: 2 }).slice(0, 3)).toEqual([
      '-nostdin',
      '-hide_banner',
      '-nostats',
    ]);
    expect(decodeArguments('mov', { number: 1, channels: 2 })).toEqual(
      expect.arrayContaining(['-map', '0:a:1', 'pipe:1']),
    );
  });

  it('have additional outputs after the audio', () => {
    const words = decodeArguments('matroska', { number: 0, channels: 1 }, [
      { options: ['-map', '0:v:0'], videoFilters: ['fps=1/2'], format: 'image2pipe' },
    ]);
    expect(words.slice(words.indexOf('pipe:1') + 1)).toEqual(
      expect.arrayContaining(['-an', '-filter:v', 'fps=1/2', '-map', '0:v:0', '-f', 'image2pipe', 'pipe:3']),
    );
  });

  it('yield the year of a program', () => {
    expect(
      yearOfVersion(
        'ffprobe version N-66595-gc2b38619c0-static https://x/  Copyright (c) 2007-2023 the FFmpeg developers\n',
      ),
    ).toBe(2023);
    expect(
      yearOfVersion('ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000-2026 the FFmpeg developers\nbuilt with gcc'),
    ).toBe(2026);
    expect(yearOfVersion('bash: ffmpeg: not found')).toBeNull();
  });
});
