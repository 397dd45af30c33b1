export * from './bot.js';
export * from './callback.js';
export * from './chat.js';
export { AtriumError, createClient, signIn } from './client.js';
export * from './lists.js';
export * from './reconcile.js';
export * from './upload.js';
export * from './webhook.js';
