package actors;

import java.util.ArrayDeque;
import org.apache.pekko.actor.ActorRef;

/** A teller moves money between accounts, each of which does one transaction after the other. */
final class BankTransactions implements Savina.Benchmark {
    private static final int OPENING = 100_000;
    private static final int MOST = 1000;

    private record Start(ActorRef[] accounts) {}

    private record Credit(int money, ActorRef to, ActorRef teller) {}

    private record Debit(int money) {}

    private enum Plain { REPLY, STOP }

    private static final class Teller extends Member {
        private final int transactions;
        private int random;
        private int left;
        private ActorRef[] accounts;

        Teller(Stage stage) {
            super(stage);
            random = stage.seed();
            transactions = stage.amount();
            left = transactions;
        }

        @Override
        void receive(Object message) {
            if (message instanceof Start start) {
                accounts = start.accounts;
                for (int i = 0; i < transactions; i++) {
                    order();
                }
            } else {
                left--;
                if (left == 0) {
                    for (var account : accounts) {
                        send(account, Plain.STOP);
                    }
                    end(0);
                }
            }
        }

        private void order() {
            int from = next(Math.max(1, accounts.length * 8 / 10));
            int to = from + 1 + next(accounts.length - from - 1);
            send(accounts[from], new Credit(1 + next(MOST), accounts[to], getSelf()));
        }

        private int next(int bound) {
            random = Stage.next(random);
            return random % bound;
        }
    }

    private static final class Account extends Member {
        private final int number;
        private long balance = OPENING;
        /** Of the transaction under way, or null. */
        private ActorRef teller;
        private final ArrayDeque<Credit> waiting = new ArrayDeque<>();

        Account(Stage stage, int number) {
            super(stage);
            this.number = number;
        }

        @Override
        void receive(Object message) {
            if (message instanceof Credit credit) {
                if (teller == null) {
                    begin(credit);
                } else {
                    waiting.add(credit);
                }
            } else if (message instanceof Debit debit) {
                balance += debit.money;
                reply(Plain.REPLY);
            } else if (message == Plain.REPLY) {
                send(teller, Plain.REPLY);
                teller = null;
                if (!waiting.isEmpty()) {
                    begin(waiting.remove());
                }
            } else {
                end((number + 1) * balance);
            }
        }

        private void begin(Credit credit) {
            teller = credit.teller;
            balance -= credit.money;
            send(credit.to, new Debit(credit.money));
        }
    }

    @Override
    public int start(Stage stage) {
        var accounts = stage.actors(stage.actors(), i -> new Account(stage, i));
        var teller = stage.actor(() -> new Teller(stage));
        teller.tell(new Start(accounts), ActorRef.noSender());
        return 1 + accounts.length;
    }
}
