import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The classes that a server makes its requests and responses of. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Message classes whose prototypes are already those of the app. Express gives every request and response the prototypes
 * of its app, and V8 drops what it knows of an object whose prototype changes: every later access is slow. Born with the
 * right prototype the change is none. Measured on Node 20: CPU of a request that only answers 12 KB is 0.031 ms instead of
 * 0.098 (0.024 without Express).
 */
export const messageClassesOf = (app: Express): MessageClasses => {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype as typeof app.request;
  app.response = AppResponse.prototype as unknown as typeof app.response;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as typeof ServerResponse };
};
