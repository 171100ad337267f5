package actors;

import org.apache.pekko.actor.ActorRef;

/** Creatures meet in pairs at a mall, and change their colours. */
final class Chameneos implements Savina.Benchmark {
    private record Start(ActorRef mall) {}

    private record Meet(int colour) {}

    private record Meeting(int colour, ActorRef other) {}

    private record Change(int colour) {}

    private record Met(int meetings) {}

    private enum Stop { STOP }

    private static final class Mall extends Member {
        private final int creatures;
        private int left;
        private ActorRef waiting;
        private int gone;
        private long meetings;

        Mall(Stage stage) {
            super(stage);
            creatures = stage.actors();
            left = stage.amount();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Meet meet) {
                if (left == 0) {
                    reply(Stop.STOP);
                } else if (waiting == null) {
                    waiting = getSender();
                } else {
                    left--;
                    send(waiting, new Meeting(meet.colour, getSender()));
                    waiting = null;
                }
            } else if (message instanceof Met met) {
                meetings += met.meetings;
                gone++;
                if (gone == creatures) {
                    end(meetings);
                }
            }
        }
    }

    private static final class Creature extends Member {
        private int colour;
        private int meetings;
        private ActorRef mall;

        Creature(Stage stage, int number) {
            super(stage);
            colour = (stage.seed() + number) % 3;
        }

        @Override
        void receive(Object message) {
            if (message instanceof Meeting meeting) {
                colour = colour == meeting.colour ? colour : 3 - colour - meeting.colour;
                send(meeting.other, new Change(colour));
                meetings++;
                send(mall, new Meet(colour));
            } else if (message instanceof Change change) {
                colour = change.colour;
                meetings++;
                send(mall, new Meet(colour));
            } else if (message instanceof Start start) {
                mall = start.mall;
                send(mall, new Meet(colour));
            } else {
                reply(new Met(meetings));
                end(0);
            }
        }
    }

    @Override
    public int start(Stage stage) {
        var mall = stage.actor(() -> new Mall(stage));
        for (var creature : stage.actors(stage.actors(), i -> new Creature(stage, i))) {
            creature.tell(new Start(mall), ActorRef.noSender());
        }
        return 1 + stage.actors();
    }
}
