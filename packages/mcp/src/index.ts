export { createMcpServer, serveStdio, type Connection } from './server.js';
export { serveHttp, type HttpOptions } from './serve-http.js';
