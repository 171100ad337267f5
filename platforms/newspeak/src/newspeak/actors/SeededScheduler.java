package newspeak.actors;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.stream.Collectors;
import newspeak.runtime.Options;
import newspeak.runtime.ProgramExit;
import newspeak.runtime.Universe;

/**
 * One thread, which gives each turn to an actor drawn by a seeded generator, or as a recording
 * says. Time is virtual: a timer is due when nothing else is to be done.
 */
final class SeededScheduler implements Scheduler {
  private final Universe universe;
  private final Options options;
  private final Random random;
  private final List<Integer> choices = new ArrayList<>();
  private final int[] replayed;
  private final List<Actor> ready = new ArrayList<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private long now;
  private long timerCount;
  /** Whether it was said already that the recording does not fit. */
  private boolean refused;

  private record Timer(long due, long number, Actor actor, Message message)
      implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      int byTime = Long.compare(due, other.due);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  SeededScheduler(Universe universe, Options options) {
    this.universe = universe;
    this.options = options;
    this.random = new Random(options.seed() == null ? 0 : options.seed());
    this.replayed = options.replay() == null ? null : read(universe, options.replay());
  }

  private static int[] read(Universe universe, Path file) {
    try {
      return Arrays.stream(Files.readString(file).trim().split("\\s+"))
          .filter(word -> !word.isEmpty()).mapToInt(Integer::parseInt).toArray();
    } catch (IOException | NumberFormatException unusable) {
      throw universe.fatal("The recording " + file + " cannot be replayed: name a file that "
          + "--record wrote");
    }
  }

  @Override
  public Actor newActor() {
    return new Actor(this);
  }

  @Override
  public void ready(Actor actor) {
    ready.add(actor);
  }

  @Override
  public void after(long milliseconds, Actor actor, Message message) {
    timers.add(new Timer(now + Math.max(0, milliseconds), timerCount++, actor, message));
  }

  @Override
  public void start(Program program) {
    universe.newThread(() -> program.guard(() -> work(program))).start();
  }

  @Override
  public int threads() {
    return 1;
  }

  @Override
  public boolean isIdle() {
    return ready.isEmpty() && timers.isEmpty();
  }

  /** No turn follows the one that ended the program, so the choices are complete. */
  @Override
  public void stop() {
    if (replayed != null && !refused && choices.size() < replayed.length) {
      throw otherProgram();
    }
    if (options.record() != null) {
      write(options.record());
    }
  }

  private void write(Path file) {
    try {
      Files.writeString(file, choices.stream().map(String::valueOf)
          .collect(Collectors.joining("\n", "", "\n")));
    } catch (IOException unwritable) {
      throw universe.fatal("The recording " + file + " cannot be written");
    }
  }

  private ProgramExit otherProgram() {
    refused = true;
    return universe.fatal("The recording does not fit this program; it was made with another "
        + "program");
  }

  private void work(Program program) {
    Worker worker = universe.worker();
    worker.start();
    while (!program.status().isDone()) {
      if (ready.isEmpty()) {
        Timer timer = timers.poll();
        if (timer == null) {
          program.idle();
          return;
        }
        now = Math.max(now, timer.due);
        timer.actor.send(timer.message);
        continue;
      }
      Actor actor = ready.remove(choose());
      if (actor.run(worker, 1)) {
        ready.add(actor);
      }
    }
  }

  private int choose() {
    int choice;
    if (replayed != null) {
      if (choices.size() >= replayed.length
          || Integer.compareUnsigned(replayed[choices.size()], ready.size()) >= 0) {
        throw otherProgram();
      }
      choice = replayed[choices.size()];
    } else {
      choice = random.nextInt(ready.size());
    }
    choices.add(choice);
    return choice;
  }
}
