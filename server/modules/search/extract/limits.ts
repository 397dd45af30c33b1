/** What one file may cost. */
export const LIMITS = {
  file_bytes_max: 32 * 1024 ** 2,
  /** In UTF-16 units; what is longer is cut. */
  text_length_max: 1_000_000,
  /** Of all parts of an Office file that are read. */
  unpacked_bytes_max: 128 * 1024 ** 2,
  /** Processor time after which no further page or part is begun. */
  enough_ms: 5000,
  /** Processor time that ends the process. */
  processor_ms: 10_000,
  /** On the clock, where the process gets no processor. */
  clock_ms: 60_000,
  heap_mb: 256,
  memory_mb: 512,
  waiting_max: 32,
  idle_ms: 30_000,
};
export type Limits = typeof LIMITS;

/** Parts of an archive that are looked at. */
export const ENTRIES_MAX = 10_000;
/** Elements within elements. */
export const DEPTH_MAX = 500;
export const PAGES_MAX = 5000;
