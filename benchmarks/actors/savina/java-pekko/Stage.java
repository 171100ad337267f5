package actors;

import java.util.function.IntFunction;
import org.apache.pekko.actor.AbstractActor.ActorContext;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.apache.pekko.japi.Creator;

/** What a benchmark is given: the context of main, whose children its actors are, and their work. */
record Stage(ActorContext context, Work work) {
    ActorRef main() { return context.self(); }

    int actors() { return work.actors(); }

    int amount() { return work.amount(); }

    int seed() { return work.seed(); }

    ActorRef actor(Creator<Member> creator) {
        return context.actorOf(Props.create(Member.class, creator));
    }

    /** As many actors; `creator` is given the number of each, from 0. */
    ActorRef[] actors(int size, IntFunction<Member> creator) {
        var made = new ActorRef[size];
        for (int i = 0; i < size; i++) {
            int number = i;
            made[i] = actor(() -> creator.apply(number));
        }
        return made;
    }

    /** The contract's `next`. */
    static int next(int x) { return (x * 1309 + 13849) & 65535; }

    static int next(int x, int times) {
        int y = x;
        for (int i = 0; i < times; i++) {
            y = next(y);
        }
        return y;
    }
}
