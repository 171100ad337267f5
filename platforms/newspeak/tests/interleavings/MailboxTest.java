package newspeak.actors;

/** The next receiver takes a message while the receiver before it still closes the mailbox. */
final class MailboxTest {
  private MailboxTest() {}

  private static final class Note extends Message {
    @Override
    void execute(Actor actor) {}
  }

  public static void main(String[] none) {
    Note first = new Note();
    Note second = new Note();
    Mailbox mailbox = new Mailbox() {
      @Override
      void closed() {
        expect(add(second), "a message to a closed mailbox wakes a receiver");
        expect(take() == second, "the next receiver takes the message");
      }
    };
    expect(mailbox.add(first), "a new mailbox is closed");
    expect(mailbox.take() == first, "the receiver takes the message");
    expect(mailbox.close(), "an empty mailbox can be closed");
    // The mailbox belongs to the next receiver, which has not closed it.
    Note third = new Note();
    expect(!mailbox.add(third), "a message to an open mailbox wakes nobody");
    expect(mailbox.take() == third, "no message is lost");
  }

  private static void expect(boolean holds, String rule) {
    if (!holds) {
      throw new AssertionError(rule);
    }
  }
}
