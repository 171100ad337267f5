// Work that is put off to the end of the loop's turn, so that it is done once for all of a turn.

import native from 'sparrow:native';

let tasks = [];

export function atTurnEnd(task) {
  if (tasks.length === 0) native.endTurn();
  tasks.push(task);
}

native.onTurnEnd(() => {
  const due = tasks;
  tasks = [];
  for (const task of due) task();
});
