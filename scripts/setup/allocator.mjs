/**
 * How the C library's allocator is set for the program
 * (https://sourceware.org/glibc/manual/latest/html_node/Memory-Allocation-Tunables.html): areas from 128 KiB on are
 * given back to the system as soon as they are free. Those are its own first values; left alone, it raises them to the
 * largest area that was ever freed, the model's file of 23 MB, and then keeps for good what loading the model twice had
 * taken: some 45 MB. Other systems take no notice.
 */
export const allocatorEnvironment = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
