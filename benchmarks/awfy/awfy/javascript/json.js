// Parses a document of operations on widgets; the answer is how many there are.

import { Benchmark, Random } from './benchmark.js';
import { JsonParser } from './json-parser.js';

const OPERATIONS = 156;

function documentText() {
  const random = new Random();
  let text = '{"head":{"counter":4,"valid":true},"operations":[';
  for (let i = 0; i < OPERATIONS; i++) text += (i === 0 ? '' : ',') + operation(i, random);
  return `${text}]}`;
}

function operation(index, random) {
  const kind = random.next() % 3;
  const start = `","w${index}",`;
  if (kind === 0) {
    const type = random.next() % 20;
    const parent = random.next() % (index + 1);
    const place = `${random.next() % 1000},${random.next() % 1000}`;
    const extent = `${random.next() % 200},${random.next() % 50}`;
    const fields = `"style":["BORDER","FLAT"],"bounds":[${place},${extent}]`;
    const last = `"tabIndex":-${random.next() % 10},"visible":true`;
    return `["create${start}"Widget${type}",{"parent":"w${parent}",${fields},${last}}]`;
  }
  if (kind === 1) {
    const text = `"text":"Item \\"${random.next() % 100}\\"\\n"`;
    const weight = `"weight":0.${random.next() % 1000}e+2`;
    return `["set${start}{${text},"selection":null,${weight},"enabled":false}]`;
  }
  let entries = '';
  for (let i = 0; i < 3; i++) {
    const key = random.next() % 40;
    const value = random.next() % 10000;
    entries += `${i === 0 ? '' : ', '}{"key":"k${key}","value":${value}}`;
  }
  return `["call${start}"update",{"values":[${entries}]}]`;
}

export class Json extends Benchmark {
  constructor() {
    super();
    this.text = documentText();
  }

  once() {
    const document = new JsonParser(this.text).parse();
    if (!document.isObject() || !document.asObject().get('head').isObject()) {
      throw new Error('the document has no head');
    }
    const operations = document.asObject().get('operations');
    if (!operations.isArray()) throw new Error('the document has no operations');
    return operations.asArray().size();
  }
}
