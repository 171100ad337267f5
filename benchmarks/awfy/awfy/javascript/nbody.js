// The sun and its four largest planets; the answer is their energy after `inner` steps.

import { Benchmark } from './benchmark.js';
import { counts } from './counts.js';

const SOLAR_MASS = 4 * Math.PI * Math.PI;
const DAYS_A_YEAR = 365.24;
const STEP = 0.01;
const SCALE = 1e16;

class Body {
  constructor(x, y, z, vx, vy, vz, mass) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.vx = vx * DAYS_A_YEAR;
    this.vy = vy * DAYS_A_YEAR;
    this.vz = vz * DAYS_A_YEAR;
    this.mass = mass * SOLAR_MASS;
  }
}

function makeBodies() {
  const bodies = [
    new Body(0, 0, 0, 0, 0, 0, 1),
    new Body(
      4.841431442464721,
      -1.1603200440274284,
      -0.10362204447112311,
      0.001660076642744037,
      0.007699011184197404,
      -6.90460016972063e-5,
      0.0009547919384243266,
    ), // Jupiter
    new Body(
      8.34336671824458,
      4.124798564124305,
      -0.4035234171143214,
      -0.002767425107268624,
      0.004998528012349172,
      2.3041729757376393e-5,
      0.0002858859806661308,
    ), // Saturn
    new Body(
      12.894369562139131,
      -15.111151401698631,
      -0.22330757889265573,
      0.002964601375647616,
      0.0023784717395948095,
      -2.9658956854023756e-5,
      4.366244043351563e-5,
    ), // Uranus
    new Body(
      15.379697114850917,
      -25.919314609987964,
      0.17925877295037118,
      0.0026806777249038932,
      0.001628241700382423,
      -9.515922545197159e-5,
      5.1513890204661145e-5,
    ), // Neptune
  ];
  let px = 0.0;
  let py = 0.0;
  let pz = 0.0;
  for (const body of bodies) {
    px += body.vx * body.mass;
    py += body.vy * body.mass;
    pz += body.vz * body.mass;
  }
  bodies[0].vx = -px / SOLAR_MASS;
  bodies[0].vy = -py / SOLAR_MASS;
  bodies[0].vz = -pz / SOLAR_MASS;
  return bodies;
}

function advance(bodies) {
  for (let i = 0; i < bodies.length; i++) {
    const one = bodies[i];
    for (let j = i + 1; j < bodies.length; j++) {
      counts.steps++; // tick
      const other = bodies[j];
      const dx = one.x - other.x;
      const dy = one.y - other.y;
      const dz = one.z - other.z;
      const squared = dx * dx + dy * dy + dz * dz;
      const magnitude = STEP / (squared * Math.sqrt(squared));
      one.vx -= dx * other.mass * magnitude;
      one.vy -= dy * other.mass * magnitude;
      one.vz -= dz * other.mass * magnitude;
      other.vx += dx * one.mass * magnitude;
      other.vy += dy * one.mass * magnitude;
      other.vz += dz * one.mass * magnitude;
    }
  }
  for (const body of bodies) {
    body.x += STEP * body.vx;
    body.y += STEP * body.vy;
    body.z += STEP * body.vz;
  }
}

function energyOf(bodies) {
  let energy = 0.0;
  for (let i = 0; i < bodies.length; i++) {
    const one = bodies[i];
    energy += 0.5 * one.mass * (one.vx * one.vx + one.vy * one.vy + one.vz * one.vz);
    for (let j = i + 1; j < bodies.length; j++) {
      const other = bodies[j];
      const dx = one.x - other.x;
      const dy = one.y - other.y;
      const dz = one.z - other.z;
      energy -= (one.mass * other.mass) / Math.sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return energy;
}

export class NBody extends Benchmark {
  run(steps) {
    const bodies = makeBodies();
    for (let i = 0; i < steps; i++) advance(bodies);
    return Math.trunc(energyOf(bodies) * SCALE);
  }
}
