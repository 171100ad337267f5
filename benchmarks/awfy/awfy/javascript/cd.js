// Collision detection; the answer is the collisions of `inner` aircraft in 200 frames.

import { Aircraft, Detector } from './detector.js';
import { CallSign } from './motion.js';
import { Vector3D } from './places.js';
import { Vector } from './vector.js';

const FRAMES = 200;

/** Pairs of aircraft that fly along waves, which meet. */
function frameAt(signs, time) {
  const frame = new Vector();
  for (let i = 0; i < signs.size(); i += 2) {
    const cosine = Math.cos(time) * 2.0 + i * 3.0;
    frame.append(new Aircraft(signs.at(i), new Vector3D(time, cosine, 10.0)));
    const sine = Math.sin(time) * 2.0 + i * 3.0;
    frame.append(new Aircraft(signs.at(i + 1), new Vector3D(time, sine, 10.0)));
  }
  return frame;
}

export class CD {
  run(aircraft) {
    const signs = new Vector();
    for (let i = 0; i < aircraft; i++) signs.append(new CallSign(i));
    const detector = new Detector();
    let collisions = 0;
    for (let i = 0; i < FRAMES; i++) {
      collisions += detector.collisions(frameAt(signs, i / 10.0)).size();
    }
    return collisions;
  }
}
