// Static files over HTTP/1.1 on one event loop: langbench/file-server/contract.md.

import { serveFiles } from './server.js';

serveFiles('standard', 1);
