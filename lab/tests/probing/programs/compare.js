// Compares long strings of equal beginnings, which V8 does in a built-in function.
const p = Buffer.alloc(5000, 'x').toString(),
  q = `${p}y`;
const texts = [p, q];
function less(at) {
  return texts[at % 2] < q;
}
function loop(times) {
  let n = 0;
  for (let at = 0; at < times; at++) if (less(at)) n++;
  return n;
}
loop(Number(process.argv[2]));
