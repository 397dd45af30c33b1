/** The one source of time. Tests and sandboxes move it; nothing else reads the system's clock for a stored value. */
export interface Clock {
  /** ISO 8601 UTC with microseconds. */
  now(): string;
  /** Microseconds since 1970, as a JavaScript number (exact until the year 2255). */
  micros(): number;
  /** Moves the clock forward; only a test or sandbox clock allows it. */
  advance(ms: number): void;
}

export function createClock({ movable = false } = {}): Clock {
  let moved_ms = 0;
  const micros = () => Math.round((performance.timeOrigin + performance.now() + moved_ms) * 1000);
  return {
    micros,
    now: () => isoOfMicros(micros()),
    advance(ms) {
      if (!movable) throw new Error('The system clock cannot be moved.');
      moved_ms += ms;
    },
  };
}

export function isoOfMicros(micros: number): string {
  const ms = Math.floor(micros / 1000);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros - ms * 1000).padStart(3, '0')}Z`;
}
