declare module 'cli-progress' {
  export class SingleBar {
    constructor(options: { stream?: NodeJS.WritableStream; format?: string; hideCursor?: boolean });
    start(total: number, done: number): void;
    update(done: number): void;
    stop(): void;
  }
}
