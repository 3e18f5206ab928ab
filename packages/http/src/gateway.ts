import express, { type Express } from 'express';
import type { GatewayAppOptions } from './gateway-options.js';

/**
 * Builds the Express app of a gateway, apart from any listener; pass it to `startServer`.
 * @throws Error when an operation belongs to the other gateway, or two share a route.
 */
export const createGatewayApp = <Context>(options: GatewayAppOptions<Context>): Express => {
  void options;
  return express();
};
