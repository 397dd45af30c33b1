export type * from './api.d.ts';
export * from './bot.js';
// VerifyOptions is two things: take it from '@atrium/sdk/callback' or '@atrium/sdk/webhook'.
export { type CallbackClaims, CallbackRefused, verifyCallback } from './callback.js';
export * from './chat.js';
export * from './client.js';
export * from './lists.js';
export * from './reconcile.js';
export * from './upload.js';
export * from './webhook.js';
