import { availableParallelism } from 'node:os';
import { integer, variable } from './variables.ts';

/** The variables of reading recordings, encoding videos and reading pictures, in the order of the documentation. */
export const mediaVariables = {
  PLY_MEDIA_SLOTS: variable(
    integer(1, 64),
    Math.max(1, availableParallelism()),
    'Recordings that this process decodes at a time, each in separate processes.',
    'number of cores',
  ),
  PLY_MEDIA_MEMORY_MB: variable(
    integer(64, 16384),
    512,
    'Memory that one process decoding a recording may use, in MB.',
  ),
  PLY_MEDIA_CPU_SECONDS: variable(
    integer(5, 86_400),
    7200,
    'Processor time that decoding one recording may take, in seconds.',
  ),
  PLY_ENCODER_SLOTS: variable(
    integer(1, 64),
    1,
    'Videos that this process encodes at a time up to the first quality, and as many beyond it.',
  ),
  PLY_ENCODER_THREADS: variable(
    integer(1, 64),
    Math.min(64, Math.max(1, availableParallelism())),
    'Threads with which one video is encoded.',
    'number of cores',
  ),
  PLY_ENCODER_MEMORY_MB: variable(
    integer(256, 65_536),
    4096,
    'Memory that one process encoding a video may use, in MB. 4K takes about 1000, 8K about 4000.',
  ),
  PLY_ENCODER_CPU_SECONDS: variable(
    integer(60, 604_800),
    21_600,
    'Processor time that one process encoding a part of a video may take, in seconds.',
  ),
  PLY_ENCODER_FILE_MB: variable(
    integer(64, 2_097_152),
    131_072,
    'Largest file that a process encoding a video may write, in MB: the download of a long film.',
  ),
  PLY_SLIDE_READERS: variable(
    integer(1, 64),
    Math.max(1, availableParallelism()),
    'Pictures of videos whose text this process reads at a time, each in a separate process.',
    'number of cores',
  ),
  PLY_SLIDE_MEMORY_MB: variable(integer(64, 16384), 512, 'Memory that reading one picture may use, in MB.'),
  PLY_SLIDE_SECONDS: variable(
    integer(1, 600),
    20,
    'Seconds that reading one picture may take. A picture that takes longer is skipped.',
  ),
};
