// An aircraft's way from one frame to the next.

import { counts } from './counts.js';
import { compare } from './places.js';

export const RADIUS = 1.0; // of what is too close
export const LEAST = 0.0; // of x, y and z
export const MOST = 1000.0; // of x and y
const MOST_Z = 10.0;

/** Aircraft are in order of their numbers. */
export class CallSign {
  constructor(number) {
    this.number = number;
  }

  compareTo(other) {
    return compare(this.number, other.number);
  }
}

export class Motion {
  constructor(sign, start, end) {
    this.sign = sign;
    this.start = start;
    this.end = end;
  }

  delta() {
    return this.end.minus(this.start);
  }

  /** The place where two aircraft come too close, or null. */
  intersection(other) {
    counts.steps++; // tick
    const movement = this.delta();
    const otherMovement = other.delta();
    const a = otherMovement.minus(movement).squaredMagnitude();
    if (a === 0.0) {
      // they keep their distance
      return other.start.minus(this.start).magnitude() <= RADIUS
        ? this.start.plus(other.start).times(0.5)
        : null;
    }
    const b = 2.0 * this.start.minus(other.start).dot(movement.minus(otherMovement));
    const c = -RADIUS * RADIUS + other.start.minus(this.start).squaredMagnitude();
    const discriminant = b * b - 4.0 * a * c;
    if (discriminant < 0.0) return null;
    const from = (-b - Math.sqrt(discriminant)) / (2.0 * a);
    const until = (-b + Math.sqrt(discriminant)) / (2.0 * a);
    if (
      from <= until &&
      ((from <= 1.0 && 1.0 <= until) ||
        (from <= 0.0 && 0.0 <= until) ||
        (0.0 <= from && until <= 1.0))
    ) {
      const time = from <= 0.0 ? 0.0 : from;
      const place = this.start
        .plus(movement.times(time))
        .plus(other.start.plus(otherMovement.times(time)))
        .times(0.5);
      return isInside(place) ? place : null;
    }
    return null;
  }
}

function isInside(place) {
  return (
    place.x >= LEAST &&
    place.x <= MOST &&
    place.y >= LEAST &&
    place.y <= MOST &&
    place.z >= LEAST &&
    place.z <= MOST_Z
  );
}
