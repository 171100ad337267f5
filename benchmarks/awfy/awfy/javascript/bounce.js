// Balls that bounce off the walls of a box.

import { Benchmark, Random } from './benchmark.js';
import { counts } from './counts.js';

const BALLS = 100;
const FRAMES = 50;
const LIMIT = 500;

class Ball {
  constructor(random) {
    this.x = random.next() % LIMIT;
    this.y = random.next() % LIMIT;
    this.xVelocity = (random.next() % 300) - 150;
    this.yVelocity = (random.next() % 300) - 150;
  }

  /** Moves the ball; whether it met a wall. */
  bounce() {
    counts.steps++; // tick
    let bounced = false;
    this.x += this.xVelocity;
    this.y += this.yVelocity;
    if (this.x > LIMIT) {
      this.x = LIMIT;
      this.xVelocity = -Math.abs(this.xVelocity);
      bounced = true;
    }
    if (this.x < 0) {
      this.x = 0;
      this.xVelocity = Math.abs(this.xVelocity);
      bounced = true;
    }
    if (this.y > LIMIT) {
      this.y = LIMIT;
      this.yVelocity = -Math.abs(this.yVelocity);
      bounced = true;
    }
    if (this.y < 0) {
      this.y = 0;
      this.yVelocity = Math.abs(this.yVelocity);
      bounced = true;
    }
    return bounced;
  }
}

export class Bounce extends Benchmark {
  once() {
    const random = new Random();
    const balls = new Array(BALLS);
    for (let i = 0; i < BALLS; i++) balls[i] = new Ball(random);
    let bounces = 0;
    for (let frame = 0; frame < FRAMES; frame++) {
      for (const ball of balls) {
        if (ball.bounce()) bounces++;
      }
    }
    return bounces;
  }
}
