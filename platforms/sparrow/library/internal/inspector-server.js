// Serves debuggers that attach to the program: in a thread of its own, which runs this module.

import { crypto } from 'sparrow:internal/web-crypto';
import native from 'sparrow:native';
import { json, serve, text } from 'sparrow:http';
import { upgrade } from 'sparrow:websocket';

const LISTENING = 0;
const OPENED = 1;
const CLOSED = 2;
const PROTOCOL = 3;
const STDERR = 2;
const MISTAKE = 2;
const MESSAGE_BYTES = 256 * 1024 * 1024;
const IP_ADDRESS = /^(\d+\.\d+\.\d+\.\d+|\[[\da-f:.]+\])$/;

const [, , host, port, , file = ''] = native.arguments();
const id = crypto.randomUUID();
let client; // one at a time
let server;

const shownHost = host.includes(':') ? `[${host}]` : host;
const address = () => `${shownHost}:${server.port}`;
const print = (line) => native.writeAll(STDERR, native.encode(`${line}\n`));

/** Whether a request names this server as only its user can. A page of another site that has had
 * its name resolved to this address (DNS rebinding) sends the name. */
function trusted(request) {
  const name = (request.header('host') ?? '').toLowerCase().replace(/:\d+$/, '');
  return name === 'localhost' || name === 'localhost6' || IP_ADDRESS.test(name);
}

function answer(request) {
  if (!trusted(request)) {
    return text('the header Host must have an IP address or localhost', { status: 400 });
  }
  switch (request.path.replace(/(.)\/$/, '$1')) {
    case '/json':
    case '/json/list':
      return json([description(request.header('host'))]);
    case '/json/version':
      return json({ Browser: `sparrow/v${native.versions().sparrow}`, 'Protocol-Version': '1.3' });
    case `/${id}`:
      if (client) return text('another debugger is attached', { status: 409 });
      return upgrade(request, attach, { messageBytes: MESSAGE_BYTES, waitingBytes: Infinity });
    default:
      return text('not found', { status: 404 });
  }
}

function description(asked) {
  const devtools = 'devtools://devtools/bundled/js_app.html?experiments=true&v8only=true';
  return {
    description: 'sparrow instance',
    devtoolsFrontendUrl: `${devtools}&ws=${asked}/${id}`,
    id,
    title: file,
    type: 'node',
    url: `file://${file}`,
    webSocketDebuggerUrl: `ws://${asked}/${id}`,
  };
}

function attach(socket) {
  client = socket;
  native.tellProgram(OPENED);
  print('Debugger attached.');
  socket.onmessage = (message) => native.tellProgram(PROTOCOL, message);
  socket.closed.then(() => {
    client = undefined;
    native.tellProgram(CLOSED);
  });
}

try {
  server = serve({ host, port: Number(port) }, answer);
} catch (error) {
  print(`sparrow: --inspect: ${error.message}`);
  native.exit(MISTAKE);
}
native.openInspector((message) => client?.send(message));
print(`Debugger listening on ws://${address()}/${id}`);
native.tellProgram(LISTENING);
