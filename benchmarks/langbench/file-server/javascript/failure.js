/** Why a request is not answered with a file: the status, and what the head says besides. */
export class Failure extends Error {
  constructor(status, field = '') {
    super(`status ${status}`);
    this.status = status;
    this.field = field;
  }
}
