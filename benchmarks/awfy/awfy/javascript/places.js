// Places and movements in the plane and in space.

export function compare(one, other) {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Places in the plane are in order of x, then of y. */
export class Vector2D {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }

  plus(other) {
    return new Vector2D(this.x + other.x, this.y + other.y);
  }

  minus(other) {
    return new Vector2D(this.x - other.x, this.y - other.y);
  }

  compareTo(other) {
    const order = compare(this.x, other.x);
    return order !== 0 ? order : compare(this.y, other.y);
  }
}

export class Vector3D {
  constructor(x, y, z) {
    this.x = x;
    this.y = y;
    this.z = z;
  }

  plus(other) {
    return new Vector3D(this.x + other.x, this.y + other.y, this.z + other.z);
  }

  minus(other) {
    return new Vector3D(this.x - other.x, this.y - other.y, this.z - other.z);
  }

  times(factor) {
    return new Vector3D(factor * this.x, factor * this.y, factor * this.z);
  }

  dot(other) {
    return this.x * other.x + this.y * other.y + this.z * other.z;
  }

  squaredMagnitude() {
    return this.dot(this);
  }

  magnitude() {
    return Math.sqrt(this.squaredMagnitude());
  }
}
