// Finds the aircraft that come too close to each other from one frame to the next.

import { counts } from './counts.js';
import { LEAST, MOST, Motion, RADIUS } from './motion.js';
import { Vector2D } from './places.js';
import { RedBlackTree } from './red-black-tree.js';
import { Vector } from './vector.js';

const VOXEL = 2.0 * RADIUS;
const RIGHT = new Vector2D(VOXEL, 0.0);
const UP = new Vector2D(0.0, VOXEL);

export class Aircraft {
  constructor(sign, place) {
    this.sign = sign;
    this.place = place;
  }
}

class Collision {
  constructor(one, other, place) {
    this.one = one;
    this.other = other;
    this.place = place;
  }
}

export class Detector {
  constructor() {
    this.places = new RedBlackTree();
  }

  collisions(frame) {
    const motions = this.motions(frame);
    const collisions = new Vector();
    crowds(motions).forEach((crowd) => {
      for (let i = 0; i < crowd.size(); i++) {
        const one = crowd.at(i);
        for (let j = i + 1; j < crowd.size(); j++) {
          const other = crowd.at(j);
          const place = one.intersection(other);
          if (place !== null) collisions.append(new Collision(one.sign, other.sign, place));
        }
      }
    });
    return collisions;
  }

  /** Since the last frame; aircraft that are gone are forgotten. */
  motions(frame) {
    const motions = new Vector();
    const seen = new RedBlackTree();
    frame.forEach((aircraft) => {
      const place = aircraft.place;
      const old = this.places.put(aircraft.sign, place);
      seen.put(aircraft.sign, true);
      motions.append(new Motion(aircraft.sign, old === null ? place : old, place));
    });
    const gone = new Vector();
    this.places.forEach((sign, _place) => {
      if (seen.get(sign) === null) gone.append(sign);
    });
    gone.forEach((sign) => {
      this.places.remove(sign);
    });
    return motions;
  }
}

/** The motions that share a voxel. */
function crowds(motions) {
  const voxels = new RedBlackTree();
  motions.forEach((motion) => {
    draw(motion, voxelOf(motion.start), voxels, new RedBlackTree());
  });
  const crowds = new Vector();
  voxels.forEach((_voxel, inside) => {
    if (inside.size() > 1) crowds.append(inside);
  });
  return crowds;
}

function voxelOf(place) {
  const x = VOXEL * Math.trunc(place.x / VOXEL);
  const y = VOXEL * Math.trunc(place.y / VOXEL);
  return new Vector2D(place.x < 0.0 ? x - VOXEL : x, place.y < 0.0 ? y - VOXEL : y);
}

/** Puts a motion into a voxel and into all others that it passes. */
function draw(motion, voxel, voxels, seen) {
  counts.steps++; // tick
  if (!passes(motion, voxel) || seen.put(voxel, true) !== null) return;
  let inside = voxels.get(voxel);
  if (inside === null) {
    inside = new Vector();
    voxels.put(voxel, inside);
  }
  inside.append(motion);
  draw(motion, voxel.minus(RIGHT), voxels, seen);
  draw(motion, voxel.plus(RIGHT), voxels, seen);
  draw(motion, voxel.minus(UP), voxels, seen);
  draw(motion, voxel.plus(UP), voxels, seen);
  draw(motion, voxel.minus(RIGHT).minus(UP), voxels, seen);
  draw(motion, voxel.minus(RIGHT).plus(UP), voxels, seen);
  draw(motion, voxel.plus(RIGHT).minus(UP), voxels, seen);
  draw(motion, voxel.plus(RIGHT).plus(UP), voxels, seen);
}

function passes(motion, voxel) {
  if (voxel.x > MOST || voxel.x < LEAST || voxel.y > MOST || voxel.y < LEAST) return false;
  const margin = RADIUS / 2.0;
  const x = motion.start.x;
  const dx = motion.end.x - x;
  let lowX = (voxel.x - margin - x) / dx;
  let highX = (voxel.x + VOXEL + margin - x) / dx;
  if (dx < 0.0) {
    const low = lowX;
    lowX = highX;
    highX = low;
  }
  const y = motion.start.y;
  const dy = motion.end.y - y;
  let lowY = (voxel.y - margin - y) / dy;
  let highY = (voxel.y + VOXEL + margin - y) / dy;
  if (dy < 0.0) {
    const low = lowY;
    lowY = highY;
    highY = low;
  }
  return (
    meets(dx, x, voxel.x, margin, lowX, highX) &&
    meets(dy, y, voxel.y, margin, lowY, highY) &&
    (dx === 0.0 ||
      dy === 0.0 ||
      (lowY <= highX && highX <= highY) ||
      (lowY <= lowX && lowX <= highY) ||
      (lowX <= lowY && highY <= highX))
  );
}

/** In one dimension: without a movement by the place, else by the time. */
function meets(movement, start, voxel, margin, low, high) {
  return (
    (movement === 0.0 && voxel <= start + margin && start - margin <= voxel + VOXEL) ||
    (low <= 1.0 && 1.0 <= high) ||
    (low <= 0.0 && 0.0 <= high) ||
    (0.0 <= low && high <= 1.0)
  );
}
