export * from './bot.js';
// VerifyOptions is two things: take it from '@atrium/sdk/callback' or '@atrium/sdk/webhook'.
export { type CallbackClaims, CallbackRefused, verifyCallback } from './callback.js';
export * from './webhook.js';
