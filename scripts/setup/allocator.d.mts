/**
 * How the C library's allocator is set for the program: areas from 128 KiB on are given back as soon as they are free.
 */
export const allocatorEnvironment: Readonly<Record<'MALLOC_MMAP_THRESHOLD_' | 'MALLOC_TRIM_THRESHOLD_', string>>;
