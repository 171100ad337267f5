export const squares = (count) => {
  let sum = 0n;
  for (let i = 1n; i <= count; i++) sum += i * i;
  return sum;
};
