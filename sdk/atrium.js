export * from './bot.js';
export * from './callback.js';
export * from './webhook.js';
