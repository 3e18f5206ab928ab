export { type Connection } from './connection.js';
export { createMcpServer } from './server.js';
export { serveHttp, type HttpOptions } from './serve-http.js';
export { serveStdio, type StdioService } from './serve-stdio.js';
