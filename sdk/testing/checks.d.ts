// biome-ignore lint/suspicious/noExplicitAny: what testing/world.ts gives, and what the runtime has.
export function checksIn(world: any): Record<string, () => Promise<void>>;
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function runChecks(world: any): Promise<{ name: string; error?: string }[]>;
