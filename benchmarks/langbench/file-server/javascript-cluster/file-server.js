// Static files over HTTP/1.1, an event loop a process: langbench/file-server/contract.md.

import { serveFiles } from '../javascript/server.js';

serveFiles('cluster', Infinity);
