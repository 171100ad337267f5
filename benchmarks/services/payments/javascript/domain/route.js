const FEATURES = 32;
const DIGITS = 16;

/** The answer to `POST /route`, or undefined where no processor serves the country. */
export function route(processors, { amount, country, card }) {
  const features = featuresOf(amount, card);
  let best;
  let bestScore = -Infinity;
  let bestFee = 0;
  let eligible = 0;
  for (const processor of processors) {
    if (!processor.countries.has(country)) continue;
    eligible++;
    const fee = feeOf(processor, amount);
    const score = scoreOf(processor, fee, features);
    if (score > bestScore) {
      best = processor;
      bestScore = score;
      bestFee = fee;
    }
  }
  return best && { processor: best.id, score: bestScore, fee: bestFee, eligible };
}

function featuresOf(amount, card) {
  const features = [];
  for (let i = 0; i < FEATURES; i++) {
    const digit = card.charCodeAt(i % DIGITS) - 48;
    features.push(((amount >> (i % 24)) ^ digit) & 255);
  }
  return features;
}

function feeOf(processor, amount) {
  return processor.fixed_fee + Math.floor((amount * processor.fee_basis_points) / 10000);
}

function scoreOf(processor, fee, features) {
  const { success_permille, latency_ms, load_permille, weights } = processor;
  let score = success_permille * 1000 - fee - latency_ms * 10;
  score -= Math.floor((load_permille * load_permille) / 100);
  for (let i = 0; i < FEATURES; i++) score += weights[i] * features[i];
  return score;
}
