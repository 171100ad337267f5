package newspeak.nodes;

/** Says whether the method in whose frame it is still runs. */
final class ReturnMarker {
  private boolean running = true;

  boolean isRunning() {
    return running;
  }

  void end() {
    running = false;
  }
}
